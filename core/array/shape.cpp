#include "core/array/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {

Extents::Extents(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values) push_back(value);
}

Extents::Extents(std::span<const std::int64_t> values) {
  for (const std::int64_t value : values) push_back(value);
}

Extents Extents::filled(int count, std::int64_t value) {
  Extents extents;
  for (int k = 0; k < count; ++k) extents.push_back(value);
  return extents;
}

void Extents::push_back(std::int64_t value) {
  if (count_ == kMaxAxes)
    throw SpecError(fmt::format("an array can have at most {} axes", kMaxAxes));
  values_[static_cast<std::size_t>(count_++)] = value;
}

bool operator==(const Extents& a, const Extents& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::int64_t element_count(const Shape& shape) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  std::int64_t count = 1;
  bool has_zero = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw SpecError(fmt::format("negative extent in the shape {}", to_text(shape)));
    if (extent == 0)
      has_zero = true;
    else if (count > kLimit / extent)
      throw SpecError(fmt::format("the shape {} has too many elements", to_text(shape)));
    else
      count *= extent;
  }
  return has_zero ? 0 : count;
}

Strides contiguous_strides(const Shape& shape, std::size_t item_bytes) {
  Strides strides = Extents::filled(shape.count(), 0);
  // Unsigned: the strides of an empty array may wrap around, and are never used.
  std::uint64_t stride = item_bytes;
  for (int axis = shape.count() - 1; axis >= 0; --axis) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[axis], 1));
  }
  return strides;
}

Shape broadcast_shapes(std::span<const Shape> shapes) {
  int axes = 0;
  for (const Shape& shape : shapes) axes = std::max(axes, shape.count());
  Shape result = Extents::filled(axes, 1);
  for (const Shape& shape : shapes) {
    const int missing = axes - shape.count();
    for (int axis = 0; axis < shape.count(); ++axis) {
      std::int64_t& extent = result[missing + axis];
      if (shape[axis] == 1 || shape[axis] == extent) continue;
      if (extent != 1) {
        std::vector<std::string> texts;
        for (const Shape& each : shapes) texts.push_back(to_text(each));
        throw SpecError(fmt::format("operands could not be broadcast together with shapes {}",
                                    join(texts, " ")));
      }
      extent = shape[axis];
    }
  }
  return result;
}

std::string to_text(const Extents& extents) {
  return fmt::format("({}{})", fmt::join(extents.begin(), extents.end(), ", "),
                     extents.count() == 1 ? "," : "");
}

}  // namespace kernelbatch
