#include "core/kernel/reduction/columns_row.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelbatch {
namespace {

bool is_constant(const ReductionLoops& loops, std::size_t k) {
  const auto is_zero = [](std::int64_t stride) { return stride == 0; };
  return std::ranges::all_of(loops.outer.strides[k], is_zero) &&
         std::ranges::all_of(loops.inner.strides[k], is_zero);
}

/// The row of one input.
std::optional<ColumnsRow> row_of(const ReductionLoops& loops, std::size_t k, std::int64_t item) {
  const Strides &outer = loops.outer.strides[k], &inner = loops.inner.strides[k];
  const auto in_elements = [item](std::int64_t stride) { return stride / item; };
  ColumnsRow row;
  row.length = in_elements(inner[0]);
  int first = loops.outer.rank();
  while (first > 0 && outer[first - 1] < inner[0]) --first;
  row.group_axes = first;
  for (int axis = first; axis < loops.outer.rank(); ++axis) {
    row.axes.push_back({loops.outer.extents[axis], in_elements(outer[axis]), true});
    row.outputs *= loops.outer.extents[axis];
  }
  for (int axis = 1; axis < loops.inner.rank(); ++axis)
    row.axes.push_back({loops.inner.extents[axis], in_elements(inner[axis]), false});
  std::vector<ColumnsRow::Axis> sorted = row.axes;
  std::ranges::sort(sorted, {}, &ColumnsRow::Axis::stride);
  std::int64_t next = 1;
  for (const ColumnsRow::Axis& axis : sorted) {
    if (axis.stride != next) return std::nullopt;
    next *= axis.extent;
  }
  if (next != row.length || inner[0] % item != 0) return std::nullopt;
  return row;
}

/// A digit of `number`, moved to another place.
std::string digit(const std::string& number, std::int64_t from, std::int64_t extent,
                  std::int64_t to) {
  return fmt::format(" + {} / {} % {} * {}", number, from, extent, to);
}

}  // namespace

ColumnsRowText text_of(const ColumnsRow& row, const std::string& output,
                       const std::string& element) {
  ColumnsRowText text{"0", "0", "0"};
  std::int64_t outputs = 1, elements = 1;
  for (auto axis = row.axes.rbegin(); axis != row.axes.rend(); ++axis) {
    std::int64_t& number = axis->is_kept ? outputs : elements;
    (axis->is_kept ? text.output : text.element) += digit("_e", axis->stride, axis->extent, number);
    text.place += digit(axis->is_kept ? output : element, number, axis->extent, axis->stride);
    number *= axis->extent;
  }
  return text;
}

std::optional<ColumnsRow> columns_row(const ReductionLoops& loops, std::span<const Array> inputs) {
  std::optional<ColumnsRow> common;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (is_constant(loops, k)) continue;
    const auto row = row_of(loops, k, static_cast<std::int64_t>(size_of(inputs[k].dtype())));
    const auto is_same = [](const ColumnsRow::Axis& a, const ColumnsRow::Axis& b) {
      return a.stride == b.stride && a.is_kept == b.is_kept;
    };
    if (!row || (common && !std::ranges::equal(common->axes, row->axes, is_same)))
      return std::nullopt;
    common = row;
  }
  return common;
}

}  // namespace kernelbatch
