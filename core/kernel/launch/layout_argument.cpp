#include "core/kernel/launch/layout_argument.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/loop/division.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {

std::string LayoutArgument::type() const {
  const std::size_t arrays = loop_.strides.size();
  // A struct cannot have arrays of no elements; the prelude's own layout handles that.
  if (is_divided())
    return fmt::format("_divided_layout<{}, {}>", loop_.rank(), std::max<std::size_t>(arrays, 1));
  return fmt::format("kernelbatch::layout<{}, {}, {}>", is_wide_ ? "long long" : "int",
                     loop_.rank(), arrays);
}

void LayoutArgument::append_to(StructBytes& bytes) const {
  const auto add = [&](std::int64_t value) {
    is_wide_ ? bytes.append_value(value) : bytes.append_value(static_cast<std::int32_t>(value));
  };
  for (const std::int64_t extent : loop_.extents) add(extent);
  if (is_divided()) {
    const auto by = [](std::int64_t extent) {
      return Division::by(static_cast<std::uint32_t>(std::max<std::int64_t>(extent, 1)));
    };
    for (const std::int64_t extent : loop_.extents) bytes.append_value(by(extent).factor);
    for (const std::int64_t extent : loop_.extents) bytes.append_value(by(extent).shift);
  }
  for (const Strides& strides : loop_.strides)
    for (const std::int64_t stride : strides) add(stride);
  if (loop_.strides.empty())
    for (int axis = 0; axis < loop_.rank(); ++axis) add(0);
}

std::string layout_definition(bool is_divided) {
  return is_divided ? std::string(source::divided_layout) : std::string();
}

}  // namespace kernelbatch
