// Places of a tile's elements in memory and in shared memory, as text.
#pragma once

#include <string>

#include "core/kernel/elementwise/tile_text.hpp"

namespace kernelbatch {

/// The text of the place of element `_j` of a pack, and of the pack, in pass `_pass`.
struct ElementPlace {
  std::string element = {}, pack = {};
  /// Declares what a thread computes once for all passes; empty if nothing.
  std::string first = {};
};

/// `_j` replaced by 0: the place of a pack.
std::string first_of(std::string place);

/// The steps of an array in memory.
TileText::Step steps_in_memory(const Strides& strides, const Operand& operand);
/// Steps that are known when the text is written.
TileText::Step constant_steps(const std::vector<int>& steps);
Strides as_strides(const std::vector<int>& steps);

/// A pointer to an element of an array.
ElementPlace place_in_memory(const TileText& text, const ElementwiseLoop& loop,
                             const Operand& operand);

/// The index of an element in shared memory with `steps` by axis. `first` is the name of a thread's
/// first one.
ElementPlace place_in_shared(const TileText& text, const std::vector<int>& steps,
                             const std::string& first);

}  // namespace kernelbatch
