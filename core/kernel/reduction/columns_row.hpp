// ColumnsRow: the elements that one index of the outermost reduced axis has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/reduction/loops.hpp"

namespace kernelbatch {

/// Elements without gaps, which belong to several outputs. Rows of the same outputs follow each
/// other without gaps, too.
struct ColumnsRow {
  struct Axis {
    std::int64_t extent = 1, stride = 1;  ///< in elements of the row
    bool is_kept = false;                 ///< its indices have different outputs
  };
  std::vector<Axis> axes;    ///< kept ones in the order of outputs, others in that of elements
  std::int64_t length = 1;   ///< elements
  std::int64_t outputs = 1;  ///< of these elements, neighbours
  int group_axes = 0;        ///< of outputs, the first: each index has rows of its own

  bool ends_with_outputs() const noexcept {
    return std::ranges::any_of(
        axes, [](const Axis& axis) { return axis.is_kept && axis.stride == 1 && axis.extent > 1; });
  }
};

/// C++ expressions for the places in a row.
struct ColumnsRowText {
  std::string output, element;  ///< numbers of the element `_e`'s output, and among its elements
  std::string place;            ///< of the element `_k` of output `_o`
};
/// `output` and `element` are the texts of `_o` and `_k`.
ColumnsRowText text_of(const ColumnsRow& row, const std::string& output = "_o",
                       const std::string& element = "_k");

/// Nothing if the inputs have no such rows, or different ones. Inputs of one element are ignored.
std::optional<ColumnsRow> columns_row(const ReductionLoops& loops, std::span<const Array> inputs);

}  // namespace kernelbatch
