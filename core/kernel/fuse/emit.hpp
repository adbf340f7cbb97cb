// Kernel text of expressions.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/kernel/fuse/typing.hpp"

namespace kernelbatch {

/// By node: true if all results that use its value are rounded to 16 bits.
std::vector<bool> rounded_to_16_bits(const TypedGraph& typed);

/// Writes statements that compute nodes into variables `_t<id>`.
class Emitter {
 public:
  /// `leaf` returns the text of an input or of a reduction's result; empty if the node is not a
  /// leaf here.
  using Leaf = std::function<std::string(int id)>;
  /// `special` returns a different text for an operation; empty for the usual one.
  Emitter(const TypedGraph& typed, Leaf leaf, Leaf special = {})
      : typed_(typed),
        leaf_(std::move(leaf)),
        special_(std::move(special)),
        is_short_(rounded_to_16_bits(typed)) {}

  /// Statements for `id` and its operands, except those already written; one per line.
  std::string statements(int id);
  /// The variable (or constant) of a node, cast to `as` if given.
  std::string value(int id, DType as) const;
  std::string value(int id) const { return value(id, typed_.typed(id).dtype); }
  /// Nodes that this emitter has written.
  const std::set<int>& written() const noexcept { return written_; }
  /// Nodes written elsewhere, whose variables are in scope.
  void assume(const std::set<int>& ids) { written_.insert(ids.begin(), ids.end()); }

 private:
  void write(int id, std::string& text);
  std::string expression(int id) const;
  /// The operands of a comparison whose common dtype cannot represent both; false if it can.
  bool compare_apart(int id, std::array<std::string, 2>& sides) const;

  const TypedGraph& typed_;
  Leaf leaf_, special_;
  std::vector<bool> is_short_;
  std::set<int> written_;
};

}  // namespace kernelbatch
