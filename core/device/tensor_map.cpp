#include "core/device/tensor_map.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

template <class... Parts>
void require(bool holds, fmt::format_string<Parts...> rule, Parts&&... parts) {
  if (!holds) throw SpecError("tensor map: " + fmt::format(rule, std::forward<Parts>(parts)...));
}

void require_valid_axis(const TensorMapForm& form, std::size_t axis) {
  const unsigned alignment = form.interleave == TensorInterleave::k32 ? 32 : 16;
  const std::uint64_t extent = form.extents[axis], stride = form.strides[axis];
  require(extent >= 1 && extent <= 1ull << 32, "length {} of axis {} must be from 1 to 2^32",
          extent, axis);
  require(form.box[axis] >= 1 && form.box[axis] <= 256,
          "length {} of the box along axis {} must be from 1 to 256", form.box[axis], axis);
  require(form.element_strides[axis] >= 1 && form.element_strides[axis] <= 8,
          "element stride {} of axis {} must be from 1 to 8", form.element_strides[axis], axis);
  if (axis == 0) return;
  require(stride % alignment == 0 && stride < 1ull << 40,
          "stride {} of axis {} must be a multiple of {} bytes below 2^40", stride, axis,
          alignment);
}

}  // namespace

void require_valid(const TensorMapForm& form) {
  const NamedTensorType& type = row_of(form.type);
  require(form.axes >= 1 && form.axes <= TensorMapForm::kMostAxes,
          "a tensor has 1 to {} axes, not {}", TensorMapForm::kMostAxes, form.axes);
  const bool is_interleaved = form.interleave != TensorInterleave::kNone;
  require(!is_interleaved || form.axes >= 3, "'interleave' needs at least 3 axes, not {}",
          form.axes);
  require(form.strides[0] == type.bytes,
          "elements of axis 0 must be neighbours in memory: their stride is {} bytes, not {}",
          form.strides[0], type.bytes);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(form.axes); ++axis)
    require_valid_axis(form, axis);
  const unsigned alignment = form.interleave == TensorInterleave::k32 ? 32 : 16;
  require(reinterpret_cast<std::uintptr_t>(form.address) % alignment == 0,
          "the first element's address {} must be a multiple of {}", form.address, alignment);
  const unsigned row = form.box[0] * type.bytes;
  const unsigned span = span_of(form.swizzle);
  require(form.interleave != TensorInterleave::k32 || form.swizzle == TensorSwizzle::k32,
          "'interleave: 32B' needs 'swizzle: 32B', not '{}'", name_of(form.swizzle));
  require(form.fill == TensorFill::kZeros || type.is_float,
          "'fill: nan' needs elements of a floating type, not {}", type.name);
  if (is_interleaved) return;
  require(row % 16 == 0, "a row of the box has {} bytes: it must be a multiple of 16", row);
  require(span == 0 || row <= span,
          "a row of the box has {} bytes: 'swizzle: {}' allows at most {}", row,
          name_of(form.swizzle), span);
}

}  // namespace kernelbatch
