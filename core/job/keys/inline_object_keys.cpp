// Keys of the objects in a kernel: buffers, views, arguments, textures, references.
#include "core/base/tensor_choices.hpp"
#include "core/base/texture_choices.hpp"
#include "core/job/keys/inline_keys.hpp"

namespace kernelbatch {
namespace {

using enum Rule::Kind;

constexpr Key kBuffer[] = {
    {"shape", Rule::of(kScalarOrList), "lengths along the axes; may be expressions of parameters"},
    {"dtype", Rule::of(kText), "type of the elements", "float64"},
    Key{"fill", Rule::of(kScalar), "contents before each run: a number, or the name of an input"},
    Key{"units", Rule::of(kScalar), "units, as CF conventions have them"},
    {"dimensions", Rule::of(kScalars), "names of the axes"}};

constexpr Key kScratchArray[] = {kBuffer[0].required(), kBuffer[1]};

constexpr Key kView[] = {
    Key{"of", Rule::of(kText), "the source array"}.required(),
    {"slice", Rule::of(kScalarOrList), "as in Python: `\"[::-1, 1:5]\"`"},
    {"transpose", Rule::of(kScalarOrList), "the axes in their new order: `[1, 0]`"},
    {"broadcast_to", Rule::of(kScalarOrList), "a larger shape: `[3, 4]`"},
    {"reshape", Rule::of(kScalarOrList), "a shape of as many elements"}};

constexpr Key kScalarArgument[] = {
    Key{"scalar", Rule::of(kExpression), "a number, or an expression"}.required(),
    Key{"dtype", Rule::of(kText), "its type: `int32`, `float32`, …"}};

constexpr Key kBytesArgument[] = {
    Key{"bytes", Rule::of(kText), "a struct: its bytes in hexadecimal digits"}.required()};

constexpr Key kTensorMapArgument[] = {
    Key{"tensor_map", Rule::of(kText),
        "a `CUtensorMap` of this input or output. Lists have CUDA's order: the innermost axis, "
        "which is the array's last, comes first"}
        .required(),
    Key{"box", Rule::of(kScalars), "lengths of the box that one instruction copies"}.required(),
    {"dims", Rule::of(kScalars), "lengths of the tensor; by default the array's shape, reversed"},
    {"strides", Rule::of(kScalars),
     "bytes between neighbours along each axis except the innermost; by default those of the "
     "array, or of `dims` without gaps"},
    {"element_strides", Rule::of(kScalars), "steps along the axes, from 1 to 8", "1"},
    {"type", Rule::choice<TensorType>(),
     "type of the elements, of the array's size; by default the array's"},
    {"swizzle", Rule::choice<TensorSwizzle>(), "order of the chunks of a row in shared memory",
     "none"},
    {"interleave", Rule::choice<TensorInterleave>(), "layout of channels in memory", "none"},
    {"l2_promotion", Rule::choice<TensorPromotion>(), "bytes that a read brings to the L2 cache",
     "none"},
    {"fill", Rule::choice<TensorFill>(), "elements outside of the tensor", "zeros"}};

constexpr Key kModule[] = {
    Key{"file", Rule::of(kText), ".cu, .ptx, .cubin or .fatbin, searched like inputs"}.required()};

constexpr Key kTexture[] = {
    Key{"of", Rule::of(kText),
        "the input that is sampled; without it the one of the texture's name"},
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
    Key{"normalized", Rule::of(kBoolean), "coordinates run from 0 to 1", "false"},
    {"border", Rule::of(kScalars), "up to four values beyond the border"}};

constexpr Key kSurface[] = {Key{"of", Rule::of(kText), "the output that is written"},
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
    Key{"variant", Rule::of(kText), "a variant used as the reference"},
    Key{"cpp", Rule::of(kText),
        "statements in C++ for the CPU that see inputs and outputs by name"},
    Key{"dataset", Rule::of(kText), "of an HDF5 file: the path of the data set"},
    Key{"preamble", Rule::of(kText), "of `cpp`: text before it, such as `#include <algorithm>`"}};

}  // namespace

std::span<const Key> buffer_keys() { return kBuffer; }
std::span<const Key> scratch_array_keys() { return kScratchArray; }
std::span<const Key> view_keys() { return kView; }
std::span<const Key> scalar_argument_keys() { return kScalarArgument; }
std::span<const Key> bytes_argument_keys() { return kBytesArgument; }
std::span<const Key> tensor_map_argument_keys() { return kTensorMapArgument; }
std::span<const Key> module_keys() { return kModule; }
std::span<const Key> texture_keys() { return kTexture; }
std::span<const Key> surface_keys() { return kSurface; }
std::span<const Key> inline_reference_keys() { return kReference; }

}  // namespace kernelbatch
