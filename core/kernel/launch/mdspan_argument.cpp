#include "core/kernel/launch/mdspan_argument.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

using Layout = FormalParameter::Layout;

bool is_column_major(const Array& array) {
  auto expected = static_cast<std::int64_t>(size_of(array.dtype()));
  for (int axis = 0; axis < array.axes(); ++axis) {
    if (array.shape()[axis] != 1 && array.strides()[axis] != expected) return false;
    expected *= array.shape()[axis];
  }
  return true;
}

/// Why the array does not fit; empty if it does.
std::string misfit(const Array& array, const FormalParameter& formal) {
  const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
  std::int64_t reach = 0;
  for (int axis = 0; axis < array.axes(); ++axis) {
    const std::int64_t fixed = formal.fixed[static_cast<std::size_t>(axis)];
    if (fixed >= 0 && fixed != array.shape()[axis])
      return fmt::format("has shape {} where axis {} must have {}", to_text(array.shape()), axis,
                         fixed);
    const std::int64_t stride = array.strides()[axis];
    if (formal.layout == Layout::kStride && (stride <= 0 || stride % item != 0))
      return fmt::format("has strides {} but an mdspan needs positive multiples of {}",
                         to_text(array.strides()), item);
    reach += array.shape()[axis] > 0 ? (array.shape()[axis] - 1) * (stride / item) : 0;
  }
  if (formal.layout == Layout::kRight && !array.is_contiguous())
    return "is not contiguous in C order (layout_right)";
  if (formal.layout == Layout::kLeft && !is_column_major(array))
    return "is not contiguous in Fortran order (layout_left)";
  if (formal.index_bytes == 4 && reach >= std::numeric_limits<std::int32_t>::max())
    return "is too large for a 32-bit index";
  return "";
}

void append_index(std::byte*& to, std::int64_t value, std::size_t bytes) {
  const auto narrow = static_cast<std::int32_t>(value);
  std::memcpy(to, bytes == 4 ? static_cast<const void*>(&narrow) : &value, bytes);
  to += bytes;
}

}  // namespace

void append_mdspan(ArgumentBlock& bytes, const Array& array, const FormalParameter& formal,
                   std::size_t at, const std::string& name) {
  // Extents and strides are not part of the accepted signature: they are checked in every call.
  if (const std::string problem = misfit(array, formal); !problem.empty())
    throw SpecError(fmt::format("argument {} of '{}' {}; the parameter is '{}'", at + 1, name,
                                problem, formal.text));
  const std::size_t size = *formal.bytes();
  std::byte* to = bytes.append_space(size);
  std::memset(to, 0, size);
  const void* data = array.data();
  std::memcpy(to, &data, sizeof data);
  to += sizeof data;
  for (int axis = 0; axis < array.axes(); ++axis)
    if (formal.fixed[static_cast<std::size_t>(axis)] < 0)
      append_index(to, array.shape()[axis], formal.index_bytes);
  if (formal.layout != Layout::kStride) return;
  const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
  for (int axis = 0; axis < array.axes(); ++axis)
    append_index(to, array.strides()[axis] / item, formal.index_bytes);
}

}  // namespace kernelbatch
