#include "core/inline/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "core/inline/tensor_map.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"

namespace kernelbatch {

Array form_only(const ArrayForm& form) {
  return Array::of_memory(reinterpret_cast<void*>(std::uintptr_t{4096}), form.dtype, form.shape);
}

Argument scalar_argument(const Number& number, std::optional<DType> dtype) {
  const DType type = dtype.value_or(dtype_of(number));
  std::byte bytes[16];
  write_number(number, type, bytes);
  return dispatch(type, [&](auto zero) {
    auto value = zero;
    std::memcpy(&value, bytes, sizeof value);
    return Argument(value);
  });
}

TextureExtent texture_extent(const Array& array, int channels) {
  const Shape& shape = array.shape();
  std::vector<std::size_t> extents;
  for (const std::int64_t extent : shape) extents.push_back(static_cast<std::size_t>(extent));
  const auto count = static_cast<std::size_t>(channels);
  if (channels > 1 && extents.size() > 1 && extents.back() == count)
    extents.pop_back();
  else if (!extents.empty() && extents.back() % count == 0)
    extents.back() /= count;
  else
    extents.clear();
  if (extents.empty() || extents.size() > 3)
    throw SpecError(fmt::format("an array of shape {} cannot be a texture of {} channels",
                                to_text(shape), channels));
  std::ranges::reverse(extents);
  extents.resize(3, 0);
  return {extents[0], extents[1], extents[2]};
}

Handles handles_without_texels(const std::vector<InlineTexture>& textures,
                               const std::vector<InlineSurface>& surfaces) {
  Handles handles;
  if (textures.empty() && surfaces.empty()) return handles;
  static const std::unique_ptr<Device> host = open_device(choose_device("host"));
  static const TextureArray texel(*host, DType::kFloat32, 1, {.width = 1});
  for (const InlineTexture& texture : textures) handles.textures.emplace(texture.name, texel);
  for (const InlineSurface& surface : surfaces) handles.surfaces.emplace(surface.name, texel);
  return handles;
}

namespace {

/// A map that is only encoded if the array has memory.
TensorMap encoded(const InlineTensorMap& map, const Array& array) {
  return at_place(map.place, "", [&] {
    refuse_staged(array, "a kernel with a tensor map");
    const TensorMapForm form = tensor_map_form(map, array);
    return array.device() == nullptr ? TensorMap{} : array.device()->tensor_map(form);
  });
}

}  // namespace

std::vector<Argument> make_arguments(const std::vector<InlineArgument>& from,
                                     ArgumentMemory& memory, const ArrayOf& array_of,
                                     const std::vector<InlineInput>& inputs,
                                     const Handles& handles) {
  std::vector<Argument> arguments;
  for (const InlineArgument& each : from) {
    if (const auto texture = handles.textures.find(each.array); texture != handles.textures.end()) {
      arguments.emplace_back(texture->second);
      continue;
    }
    if (const auto surface = handles.surfaces.find(each.array); surface != handles.surfaces.end()) {
      arguments.emplace_back(surface->second);
      continue;
    }
    const auto given = std::ranges::find(inputs, each.array, &InlineInput::name);
    if (each.tensor_map) {
      memory.arrays.push_back(array_of(each));
      memory.maps.push_back(encoded(*each.tensor_map, memory.arrays.back()));
      arguments.push_back(as_bytes(memory.maps.back()));
    } else if (!each.bytes.empty()) {
      arguments.push_back(as_bytes(std::as_bytes(std::span(each.bytes))));
    } else if (each.array.empty()) {
      arguments.push_back(scalar_argument(each.number, each.dtype));
    } else if (given != inputs.end() && given->scalar) {
      arguments.push_back(scalar_argument(*given->scalar, given->dtype));
    } else {
      memory.arrays.push_back(array_of(each));
      arguments.emplace_back(memory.arrays.back());
    }
  }
  return arguments;
}

}  // namespace kernelbatch
