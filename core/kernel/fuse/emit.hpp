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

/// By node: whether all that becomes of its value is rounded to 16 bits.
std::vector<bool> rounded_to_16_bits(const TypedGraph& typed);

/// Writes statements that compute nodes into variables `_t<id>`.
class Emitter {
 public:
  /// `leaf` gives the text of an input, or of a reduction's result; an empty text = not a leaf
  /// here.
  using Leaf = std::function<std::string(int id)>;
  /// `special` gives the text of an operation that is written otherwise here; empty = as usual.
  Emitter(const TypedGraph& typed, Leaf leaf, Leaf special = {})
      : typed_(typed),
        leaf_(std::move(leaf)),
        special_(std::move(special)),
        is_short_(rounded_to_16_bits(typed)) {}

  /// Statements for `id` and what it needs, except what was written before; one per line.
  std::string statements(int id);
  /// The variable (or constant) that holds a node, cast to a dtype where one is given.
  std::string value(int id, DType as) const;
  std::string value(int id) const { return value(id, typed_.typed(id).dtype); }
  /// Nodes that this emitter has written.
  const std::set<int>& written() const noexcept { return written_; }
  /// Nodes written elsewhere, whose variables are in scope.
  void assume(const std::set<int>& ids) { written_.insert(ids.begin(), ids.end()); }

 private:
  void write(int id, std::string& text);
  std::string expression(int id) const;
  /// The operands of a comparison whose common dtype cannot hold both; false where it can.
  bool compare_apart(int id, std::array<std::string, 2>& sides) const;

  const TypedGraph& typed_;
  Leaf leaf_, special_;
  std::vector<bool> is_short_;
  std::set<int> written_;
};

}  // namespace kernelbatch
