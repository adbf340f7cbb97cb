// The texts of rows that a block copies to shared memory (reduction_staged_rows.cu.in).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/kernel/reduction/columns_row.hpp"
#include "core/kernel/reduction/pass.hpp"

namespace kernelbatch {

/// An input's row: runs of neighbouring elements, one for each index of the first of two reduced
/// axes. The same runs of a block's rows are neighbours in memory and are one slice of the block's
/// shared memory. A slice begins at the same place of 16 bytes as in memory, so that all but its
/// ends are copied in pieces of 16 bytes. Or a row is a part of a group of rows which are one piece
/// of memory.
class StagedRow {
 public:
  StagedRow(const ReductionPass& pass, const Operand& operand);

  /// The declaration of the block's shared memory.
  std::string memory() const;
  /// The statement that begins the copies of the block's rows, of which `_first` is the first.
  std::string fetch() const;
  /// The statement that makes `_r` the block's row `_own`.
  std::string begin() const;
  /// The address of the row's element `_J`.
  std::string place() const;

 private:
  /// Elements of a slice, whose number is a text, before the first row.
  std::string lead(const std::string& slice) const;

  std::string name_, type_;
  int slot_;
  std::optional<ColumnsRow> group_;  ///< of one index of the first reduced axis
  std::size_t arrays_;               ///< inputs of the loop
  std::int64_t slices_ = 1, run_;    ///< elements of a run, or of an output of a group
  std::int64_t length_;              ///< elements from a slice to the next
  std::int64_t width_;               ///< elements of 16 bytes
  std::int64_t shift_ = 0;           ///< by which each slice begins later than the one before
};

}  // namespace kernelbatch
