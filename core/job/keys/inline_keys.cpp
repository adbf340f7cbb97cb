#include "core/job/keys/inline_keys.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/compiler_backend.hpp"

namespace kernelbatch {
namespace {

using enum Rule::Kind;

constexpr Key scalar(std::string_view name, std::string_view help) {
  return {name, Rule::of(kScalar), help};
}
constexpr Key text(std::string_view name, std::string_view help) {
  return {name, Rule::of(kText), help};
}
constexpr Key boolean(std::string_view name, std::string_view help, std::string_view otherwise) {
  return {name, Rule::of(kBoolean), help, otherwise};
}

/// The member at the end of a path of members.
template <auto... Path>
KernelMember member(KernelDefinition& definition) {
  return &(definition.*....*Path);
}
template <auto Member>
constexpr auto in_elementwise = &member<&KernelDefinition::elementwise, Member>;
template <auto Member>
constexpr auto in_elementwise_options =
    &member<&KernelDefinition::elementwise, &ElementwiseText::options, Member>;
template <auto Member>
constexpr auto in_reduction = &member<&KernelDefinition::reduction, Member>;
template <auto Member>
constexpr auto in_reduction_options =
    &member<&KernelDefinition::reduction, &ReductionText::options, Member>;
template <auto Member>
constexpr auto in_shape = &member<&KernelDefinition::shape, Member>;

constexpr Key kIn = scalar("in", "parameters that are read: `\"T x, raw float32 y\"`");
constexpr Key kOut = scalar("out", "parameters that are written: `\"T z\"`");
constexpr Key kName = text("name", "name of the kernel, in records and profilers");
constexpr Key kPreamble = scalar("preamble", "text before the kernel: helpers, `#include`");
constexpr Key kCopyOverlap =
    boolean("copy_overlap", "copy arrays that overlap instead of refusing them", "false");
constexpr Key kOptions{"options", Rule::of(kOptionTexts),
                       "options of the compiler: `[\"-DTILE=16\", \"-DN={n}\"]`"};
constexpr Key kSource = text("source", "the kernel's text, in CUDA C++");

constexpr KernelKey kArgs{
    {"args", Rule::mapping("args"),
     "the kernel's arguments in order: inputs, outputs, parameters, numbers"}};
constexpr KernelKey kTextures{{"textures", Rule::json(R"({
                                 "type": "object",
                                 "minProperties": 1,
                                 "additionalProperties": {"$ref": "#/definitions/texture"}
                               })"),
                               "texture objects, by the names that `args` gives them"}};
constexpr KernelKey kSurfaces{{"surfaces", Rule::json(R"({
                                 "type": "object",
                                 "minProperties": 1,
                                 "additionalProperties": {"$ref": "#/definitions/surface"}
                               })"),
                               "surface objects, by the names that `args` gives them"}};
constexpr KernelKey kGlobals{
    {"globals", Rule::json(R"({
       "type": "object",
       "minProperties": 1,
       "additionalProperties": {"$ref": "#/definitions/text"}
     })"),
     "variables of the module, each with the input it is set from or the output it is read into"}};
constexpr KernelKey kEntry{
    text("entry", "name of the kernel: `add`, `fx3<float>` or `fx3<{dtype}>`").required(),
    member<&KernelDefinition::entry>};
constexpr KernelKey kGrid{
    Key{"grid", Rule::of(kExtents),
        "blocks of the grid: one to three numbers or expressions, such as `ceil(n / 256)`"}
        .required(),
    in_shape<&LaunchShape::grid>};
constexpr KernelKey kBlock{
    {"block", Rule::of(kExtents), "threads of a block: one to three numbers or expressions"},
    in_shape<&LaunchShape::block>};
constexpr KernelKey kSharedMem{
    {"shared_mem", Rule::of(kExpression), "bytes of dynamic shared memory", "0"},
    in_shape<&LaunchShape::shared_bytes>};
constexpr KernelKey kCarveout{
    {"carveout", Rule::expression(0, 100),
     "percent of the L1 cache to use as shared memory; default: the driver chooses"},
    member<&KernelDefinition::carveout>};
constexpr KernelKey kCooperative{boolean("cooperative", "launch all blocks at once", "false"),
                                 in_shape<&LaunchShape::cooperative>};
constexpr KernelKey kCluster{
    {"cluster", Rule::of(kExtents), "blocks of a cluster: one to three numbers"},
    in_shape<&LaunchShape::cluster>};

constexpr KernelKey kElementwise[] = {
    {kOut.required(), in_elementwise<&ElementwiseText::out>},
    {text("operation", "statements for one element: `z = x + y`").required(),
     in_elementwise<&ElementwiseText::operation>},
    {kIn, in_elementwise<&ElementwiseText::in>},
    kArgs,
    {kName, in_elementwise<&ElementwiseText::name>},
    {{"size", Rule::of(kExpression), "number of elements, if no array determines it"},
     member<&KernelDefinition::size>},
    {kPreamble, in_elementwise_options<&ElementwiseOptions::preamble>},
    {scalar("loop_prep", "statements before the loop"),
     in_elementwise_options<&ElementwiseOptions::loop_prep>},
    {scalar("after_loop", "statements after the loop"),
     in_elementwise_options<&ElementwiseOptions::after_loop>},
    {boolean("reduce_dims", "merge axes if that changes nothing", "true"),
     in_elementwise_options<&ElementwiseOptions::reduce_dims>},
    {{"block_size", Rule::expression(1, 1024), "threads of a block"},
     in_elementwise_options<&ElementwiseOptions::block_size>},
    {kCopyOverlap, in_elementwise_options<&ElementwiseOptions::copy_overlap>},
    {kOptions, in_elementwise_options<&ElementwiseOptions::options>},
    kTextures};

constexpr KernelKey kReduction[] = {
    {kIn.required(), in_reduction<&ReductionText::in>},
    {kOut.required(), in_reduction<&ReductionText::out>},
    {text("map", "expression of an element: `x * x`").required(),
     in_reduction<&ReductionText::map>},
    {text("reduce", "expression that joins a and b: `a + b`").required(),
     in_reduction<&ReductionText::reduce>},
    {text("post_map", "statement that stores the result a: `y = sqrt(a)`").required(),
     in_reduction<&ReductionText::post_map>},
    kArgs,
    {{"identity", Rule::json(R"({"type": ["string", "number", "boolean", "null"]})"),
      "result of an empty reduction; without it such a reduction is refused"},
     in_reduction<&ReductionText::identity>},
    {kName, in_reduction<&ReductionText::name>},
    {{"axis", Rule::json(R"({"type": ["integer", "string", "array", "null"]})"),
      "one axis or several; none: all"},
     member<&KernelDefinition::over, &ReductionCall::axes>},
    {boolean("keepdims", "keep reduced axes with length 1", "false"),
     member<&KernelDefinition::over, &ReductionCall::keepdims>},
    {scalar("reduce_type", "type of a and b in `reduce`"),
     in_reduction_options<&ReductionOptions::reduce_type>},
    {kPreamble, in_reduction_options<&ReductionOptions::preamble>},
    {kCopyOverlap, in_reduction_options<&ReductionOptions::copy_overlap>},
    {kOptions, in_reduction_options<&ReductionOptions::options>}};

constexpr KernelKey kRaw[] = {
    kEntry,
    kGrid,
    {kSource, member<&KernelDefinition::source>},
    {{"module", Rule::mapping("module"), "a file instead of `source`"},
     member<&KernelDefinition::file>},
    {{"backend", Rule::choice<CompilerBackend>(), "compiler", "nvrtc"},
     member<&KernelDefinition::raw, &RawOptions::backend>},
    {{"name_expressions", Rule::of(kOptionTexts),
      "instances of templates that the module has; `entry` is one of them"},
     member<&KernelDefinition::name_expressions>},
    {boolean("translate_cucomplex", "read cuComplex.h's types and functions as complex<T>'s",
             "false"),
     member<&KernelDefinition::raw, &RawOptions::translate_cucomplex>},
    kArgs,
    kBlock,
    kSharedMem,
    kCarveout,
    kCooperative,
    kCluster,
    {kOptions, member<&KernelDefinition::raw, &RawOptions::options>},
    kTextures,
    kSurfaces,
    kGlobals};

constexpr KernelKey kImage[] = {
    {text("image", "compiled code: a .ptx, .cubin or .fatbin file, searched like inputs")
         .required(),
     member<&KernelDefinition::file>},
    {text("ptx", "a .ptx file with the same kernels, which the host device runs"),
     member<&KernelDefinition::ptx>},
    {text("triton",
          "the JSON file that Triton, Gluon or Helion writes next to it: entry, block, "
          "shared memory, cluster, and pointers that are null"),
     member<&KernelDefinition::triton>},
    {text("entry", "name of the kernel in the image"), member<&KernelDefinition::entry>},
    kGrid,
    kArgs,
    kBlock,
    kSharedMem,
    kCarveout,
    kCooperative,
    kCluster,
    kGlobals,
    {{"addresses", Rule::json(R"({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"$ref": "#/definitions/text"}
      })"),
      "of a captured kernel: arrays that it also reaches through pointers in structs or in memory, "
      "and the address of each"}}};

constexpr KernelKey kJit[] = {{kSource.required(), member<&KernelDefinition::source>},
                              kEntry,
                              kGrid,
                              {{"constants", Rule::json(R"({
                                  "type": "object",
                                  "minProperties": 1,
                                  "additionalProperties": {"$ref": "#/definitions/expression"}
                                })"),
                                "numbers that are compiled into the kernel"},
                               member<&KernelDefinition::jit, &JitOptions::constants>},
                              kArgs,
                              kBlock,
                              kSharedMem,
                              kCooperative,
                              kCluster,
                              {kOptions, member<&KernelDefinition::jit, &JitOptions::options>},
                              kTextures,
                              kSurfaces,
                              kGlobals};

constexpr KernelKey kFuse[] = {
    {text("expression", "the computation, as in NumPy: `sum(x * y, axis=-1)`").required(),
     member<&KernelDefinition::expression>},
    {kName, member<&KernelDefinition::fused_name>}};

constexpr KernelKey kSteps[] = {
    {Key{"steps",
         Rule::json(
             R"({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/inline_step"}})"),
         "kernels that are launched one after another: each has a kernel's keys, `kind: raw` by "
         "default"}
         .required()},
    {{"scratch", Rule::json(R"({
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"$ref": "#/definitions/scratch_array"}
      })"),
      "arrays between the steps, by the names that `args` gives them"}}};

constexpr InlineKind kKinds[] = {{VariantKind::kElementwise, "elementwise", kElementwise, true},
                                 {VariantKind::kReduction, "reduction", kReduction, true},
                                 {VariantKind::kRaw, "raw", kRaw, true},
                                 {VariantKind::kImage, "image", kImage, true},
                                 {VariantKind::kJit, "jit", kJit, true},
                                 {VariantKind::kFused, "fuse", kFuse},
                                 {VariantKind::kUnfused, "steps", kSteps}};

}  // namespace

std::span<const InlineKind> inline_kinds() { return kKinds; }

const InlineKind& inline_kind(VariantKind kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &InlineKind::kind);
  if (found == std::end(kKinds)) throw std::out_of_range("no kind of inline kernels");
  return *found;
}

}  // namespace kernelbatch
