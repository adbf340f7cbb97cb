#include "core/kernel/launch/chunk_roles.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace kernelbatch {

ChunkRole role_of(const std::string& kernel, const Parameter& parameter, const Argument& argument,
                  const Shape& shape, int axis) {
  ChunkRole role;
  role.name = parameter.name;
  if (!argument.is_array()) return role;
  const Array& array = argument.array();
  if (parameter.is_raw) {
    if (array.is_staged())
      throw OutOfMemoryError(
          fmt::format("raw argument '{}' of '{}' does not fit on the device, and cannot pass "
                      "through it in pieces",
                      parameter.name, kernel));
    return role;
  }
  const int own = axis - (shape.count() - array.axes());
  if (own >= 0 && own < array.axes() && array.shape()[own] > 1) role.axis = own;
  return role;
}

std::vector<Array> flattened(const Shape& shape, const std::vector<Parameter>& in,
                             const std::vector<Parameter>& out,
                             std::span<const Argument> arguments) {
  std::vector<Array> flat;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    flat.emplace_back();
    if (!arguments[k].is_array()) continue;
    const Array& array = arguments[k].array();
    const bool is_raw = k < in.size() ? in[k].is_raw : out[k - in.size()].is_raw;
    if (is_raw || !(array.shape() == shape) || !array.is_contiguous()) return {};
    flat.back() = array.reshape({array.size()});
  }
  return flat;
}

}  // namespace kernelbatch
