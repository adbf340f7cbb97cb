// Values of a row-wise expression: which are common to a row, and which later phases need.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "core/kernel/fuse/rows_policy.hpp"
#include "core/kernel/fuse/typing.hpp"

namespace kernelbatch {

/// True for nodes with one value per row: a reduction, or a value that depends only on reductions
/// and constants.
std::vector<bool> row_nodes(const TypedGraph& typed, const std::vector<bool>& row_inputs);

/// Bytes of one element of all inputs that reductions read; at least `least` for each.
int bytes_kept(const TypedGraph& typed, const std::vector<bool>& row_inputs, std::size_t least = 1);

/// True if an exponential is computed for each element of a row.
bool has_exponentials(const TypedGraph& typed, const std::vector<bool>& row_inputs);

/// Threads per unit for which registers must suffice: the more a thread keeps, the fewer.
int threads_of_unit(const TypedGraph& typed, const std::vector<bool>& row_inputs,
                    const RowsSchedule& schedule);

/// Nodes of an expression whose phases each loop over the elements of a row once.
class RowsValues {
 public:
  RowsValues(const TypedGraph& typed, const std::vector<bool>& row_inputs)
      : typed_(typed), is_row_(row_nodes(typed, row_inputs)) {}

  bool is_row(int id) const { return is_row_[static_cast<std::size_t>(id)]; }
  /// Inputs and `known` nodes from which elements of the roots are computed.
  std::set<int> sources(const std::vector<int>& roots, const std::set<int>& known) const;
  /// Operands of later phases' reductions and of outputs.
  std::vector<int> later_roots(int phase) const;
  /// Values computed in a phase that later ones need: kept if registers suffice for a thread's
  /// `elements`, or if keeping them takes no more registers than keeping their inputs. `here`:
  /// nodes that are kept already.
  std::set<int> worth_keeping(int phase, const std::set<int>& computed, const std::set<int>& here,
                              int elements) const;

 private:
  bool is_input(int id) const { return typed_.node(id).kind == Node::Kind::kInput; }
  void find_sources(int id, const std::set<int>& known, std::set<int>& found) const;
  std::size_t bytes(const std::set<int>& ids) const;

  const TypedGraph& typed_;
  std::vector<bool> is_row_;
};

}  // namespace kernelbatch
