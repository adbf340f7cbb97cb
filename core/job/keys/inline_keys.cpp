#include "core/job/keys/inline_keys.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/compiler_backend.hpp"
#include "core/base/texture_choices.hpp"

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

constexpr Key kIn = scalar("in", "parameters that are read: `\"T x, raw float32 y\"`");
constexpr Key kOut = scalar("out", "parameters that are written: `\"T z\"`");
constexpr Key kArgs{"args", Rule::mapping("args"),
                    "the kernel's arguments in order: inputs, outputs, parameters, numbers"};
constexpr Key kName = text("name", "name of the kernel, in records and profilers");
constexpr Key kPreamble = scalar("preamble", "text before the kernel: helpers, `#include`");
constexpr Key kCopyOverlap =
    boolean("copy_overlap", "copy arrays that overlap instead of refusing them", "false");
constexpr Key kOptions{"options", Rule::of(kScalars),
                       "options of the compiler: `[\"-DTILE=16\", \"-DN={n}\"]`"};
constexpr Key kTextures{"textures", Rule::json(R"({
                          "type": "object",
                          "minProperties": 1,
                          "additionalProperties": {"$ref": "#/definitions/texture"}
                        })"),
                        "texture objects, by the names that `args` gives them"};
constexpr Key kSource = text("source", "the kernel's text, in CUDA C++");
constexpr Key kEntry = text("entry", "name of the kernel: `add` or `fx3<float>`");
constexpr Key kGrid{
    "grid", Rule::of(kExtents),
    "blocks of the grid: one to three numbers or expressions, such as `ceil(n / 256)`"};
constexpr Key kBlock{"block", Rule::of(kExtents),
                     "threads of a block: one to three numbers or expressions"};
constexpr Key kSharedMem{"shared_mem", Rule::of(kExpression), "bytes of dynamic shared memory",
                         "0"};
constexpr Key kCooperative = boolean("cooperative", "launch all blocks at once", "false");
constexpr Key kCluster{"cluster", Rule::of(kExtents), "blocks of a cluster: one to three numbers"};
constexpr Key kSurfaces{"surfaces", Rule::json(R"({
                          "type": "object",
                          "minProperties": 1,
                          "additionalProperties": {"$ref": "#/definitions/surface"}
                        })"),
                        "surface objects, by the names that `args` gives them"};
constexpr Key kGlobals{
    "globals", Rule::json(R"({
      "type": "object",
      "minProperties": 1,
      "additionalProperties": {"$ref": "#/definitions/text"}
    })"),
    "variables of the module, each with the input it is set from or the output it is read into"};

constexpr Key kElementwise[] = {
    kOut.required(),
    text("operation", "statements for one element: `z = x + y`").required(),
    kIn,
    kArgs,
    kName,
    {"size", Rule::of(kExpression), "number of elements, if no array determines it"},
    kPreamble,
    scalar("loop_prep", "statements before the loop"),
    scalar("after_loop", "statements after the loop"),
    boolean("reduce_dims", "merge axes if that changes nothing", "true"),
    {"block_size",
     Rule::json(
         R"({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 1024}, {"type": "string"}]})"),
     "threads of a block"},
    kCopyOverlap,
    kOptions,
    kTextures};

constexpr Key kReduction[] = {
    kIn.required(),
    kOut.required(),
    text("map", "expression of an element: `x * x`").required(),
    text("reduce", "expression that joins a and b: `a + b`").required(),
    text("post_map", "statement that stores the result a: `y = sqrt(a)`").required(),
    kArgs,
    {"identity", Rule::json(R"({"type": ["string", "number", "boolean", "null"]})"),
     "result of an empty reduction; without it such a reduction is refused"},
    kName,
    {"axis", Rule::json(R"({"type": ["integer", "string", "array", "null"]})"),
     "one axis or several; none: all"},
    boolean("keepdims", "keep reduced axes with length 1", "false"),
    scalar("reduce_type", "type of a and b in `reduce`"),
    kPreamble,
    kCopyOverlap,
    kOptions};

constexpr Key kRaw[] = {kEntry.required(),
                        kGrid.required(),
                        kSource,
                        {"module", Rule::mapping("module"), "a file instead of `source`"},
                        {"backend", Rule::choice<CompilerBackend>(), "compiler", "nvrtc"},
                        {"name_expressions", Rule::of(kScalars),
                         "instances of templates that the module has; `entry` is one of them"},
                        boolean("translate_cucomplex",
                                "read cuComplex.h's types and functions as complex<T>'s", "false"),
                        kArgs,
                        kBlock,
                        kSharedMem,
                        kCooperative,
                        kCluster,
                        kOptions,
                        kTextures,
                        kSurfaces,
                        kGlobals};

constexpr Key kJit[] = {kSource.required(),
                        kEntry.required(),
                        kGrid.required(),
                        {"constants", Rule::json(R"({
                           "type": "object",
                           "minProperties": 1,
                           "additionalProperties": {"$ref": "#/definitions/expression"}
                         })"),
                         "numbers that are compiled into the kernel"},
                        kArgs,
                        kBlock,
                        kSharedMem,
                        kCooperative,
                        kCluster,
                        kOptions,
                        kTextures,
                        kSurfaces,
                        kGlobals};

constexpr Key kFuse[] = {
    text("expression", "the computation, as in NumPy: `sum(x * y, axis=-1)`").required(), kName};

constexpr InlineKind kKinds[] = {{VariantKind::kElementwise, "elementwise", kElementwise},
                                 {VariantKind::kReduction, "reduction", kReduction},
                                 {VariantKind::kRaw, "raw", kRaw},
                                 {VariantKind::kJit, "jit", kJit},
                                 {VariantKind::kFused, "fuse", kFuse}};

constexpr Key kBuffer[] = {
    {"shape", Rule::of(kScalarOrList), "lengths along the axes; may be expressions of parameters"},
    {"dtype", Rule::of(kText), "type of the elements", "float64"},
    scalar("fill", "contents before each run: a number, or the name of an input"),
    scalar("units", "units, as CF conventions have them"),
    {"dimensions", Rule::of(kScalars), "names of the axes"}};

constexpr Key kView[] = {
    text("of", "the source array").required(),
    {"slice", Rule::of(kScalarOrList), "as in Python: `\"[::-1, 1:5]\"`"},
    {"transpose", Rule::of(kScalarOrList), "the axes in their new order: `[1, 0]`"},
    {"broadcast_to", Rule::of(kScalarOrList), "a larger shape: `[3, 4]`"},
    {"reshape", Rule::of(kScalarOrList), "a shape of as many elements"}};

constexpr Key kScalarArgument[] = {
    Key{"scalar", Rule::of(kExpression), "a number, or an expression"}.required(),
    text("dtype", "its type: `int32`, `float32`, …")};

constexpr Key kModule[] = {
    text("file", ".cu, .ptx, .cubin or .fatbin, searched like inputs").required()};

constexpr Key kTexture[] = {
    text("of", "the input that is sampled; without it the one of the texture's name"),
    {"memory", Rule::choice<TextureStorage>(), "a CUDA array, or plain memory", "array"},
    {"channels", Rule::json(R"({"anyOf": [{"enum": [1, 2, 4]}, {"type": "string"}]})"),
     "numbers of an element", "1"},
    {"address", Rule::json(R"({
       "anyOf": [
         {"$ref": "#/definitions/texture_address"},
         {"type": "array", "maxItems": 3, "items": {"$ref": "#/definitions/texture_address"}}
       ]
     })"),
     "beyond the edges, for all axes or for each"},
    {"filter", Rule::choice<TextureFilter>(), "nearest element, or linear interpolation"},
    {"read", Rule::choice<TextureRead>(),
     "elements as they are, or integers as numbers from 0 to 1"},
    boolean("normalized", "coordinates run from 0 to 1", "false"),
    {"border", Rule::of(kScalars), "up to four values beyond the border"}};

constexpr Key kSurface[] = {text("of", "the output that is written"),
                            {"channels", Rule::of(kExpression), "numbers of an element", "1"}};

constexpr Key kReference[] = {
    {"values", Rule::json(R"({
       "type": "object",
       "minProperties": 1,
       "additionalProperties": {"$ref": "#/definitions/scalar_or_list"}
     })"),
     "each output's elements"},
    {"file", Rule::json(R"({
       "anyOf": [
         {"$ref": "#/definitions/text"},
         {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/definitions/text"}}
       ]
     })"),
     "a file of the outputs, or one for each by name"},
    text("variant", "a variant used as the reference"),
    text("cpp", "statements in C++ for the CPU that see inputs and outputs by name"),
    text("dataset", "of an HDF5 file: the path of the data set"),
    text("preamble", "of `cpp`: text before it, such as `#include <algorithm>`")};

}  // namespace

std::span<const InlineKind> inline_kinds() { return kKinds; }

const InlineKind& inline_kind(VariantKind kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &InlineKind::kind);
  if (found == std::end(kKinds)) throw std::out_of_range("no kind of inline kernels");
  return *found;
}

std::span<const Key> buffer_keys() { return kBuffer; }
std::span<const Key> view_keys() { return kView; }
std::span<const Key> scalar_argument_keys() { return kScalarArgument; }
std::span<const Key> module_keys() { return kModule; }
std::span<const Key> texture_keys() { return kTexture; }
std::span<const Key> surface_keys() { return kSurface; }
std::span<const Key> inline_reference_keys() { return kReference; }

}  // namespace kernelbatch
