// Arguments of inline kernels: what jobs name, as what kernels take.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/inline/definition.hpp"

namespace kernelbatch {

/// An array whose memory is never touched: its type and shape alone matter.
Array form_only(const ArrayForm& form);

/// A number as a scalar of `dtype`, or of its own kind's. Throws SpecError where it does not fit.
Argument scalar_argument(const Number& number, std::optional<DType> dtype);

/// In texels: channels are an axis of their own, or side by side along the last one. Throws
/// SpecError for a shape that is no texture's.
TextureExtent texture_extent(const Array& array, int channels);

/// Textures and surfaces of a variant by name.
struct Handles {
  std::map<std::string, Texture> textures = {};
  std::map<std::string, Surface> surfaces = {};
};

/// One texel on the host: stands for any texture or surface where types alone matter.
Handles handles_without_texels(const std::vector<InlineTexture>& textures,
                               const std::vector<InlineSurface>& surfaces);

/// What an argument's name shows: an array.
using ArrayOf = std::function<Array(const InlineArgument& argument)>;

/// Arguments of a call; the arrays that they view are put into `arrays`, which must outlive them.
std::vector<Argument> make_arguments(const std::vector<InlineArgument>& from,
                                     std::deque<Array>& arrays, const ArrayOf& array_of,
                                     const std::vector<InlineInput>& inputs,
                                     const Handles& handles);

}  // namespace kernelbatch
