// Arguments of inline kernels: conversion from names in jobs to kernel arguments.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/device/tensor_map.hpp"
#include "core/inline/definition.hpp"

namespace kernelbatch {

/// An array whose memory is never touched: only its type and shape matter.
Array form_only(const ArrayForm& form);

/// A number as a scalar of `dtype`, or of the dtype of its kind. Throws SpecError if it does not
/// fit.
Argument scalar_argument(const Number& number, std::optional<DType> dtype);

/// Extent in texels: channels are a separate axis, or neighbours along the last one. Throws
/// SpecError for a shape that no texture has.
TextureExtent texture_extent(const Array& array, int channels);

/// Textures and surfaces of a variant by name.
struct Handles {
  std::map<std::string, Texture> textures = {};
  std::map<std::string, Surface> surfaces = {};
};

/// One texel on the host: replaces any texture or surface if only types matter.
Handles handles_without_texels(const std::vector<InlineTexture>& textures,
                               const std::vector<InlineSurface>& surfaces);

/// Returns the array named by an argument.
using ArrayOf = std::function<Array(const InlineArgument& argument)>;

/// Memory that arguments view, and the arrays of tensor maps.
struct ArgumentMemory {
  std::deque<Array> arrays = {};
  std::deque<TensorMap> maps = {};
};

/// Arguments of a call; what they view is stored in `memory`, which must outlive them.
std::vector<Argument> make_arguments(const std::vector<InlineArgument>& from,
                                     ArgumentMemory& memory, const ArrayOf& array_of,
                                     const std::vector<InlineInput>& inputs,
                                     const Handles& handles);

}  // namespace kernelbatch
