// The pieces of an elementwise kernel's text, by their place in the templates of its loop.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

struct ElementwisePieces {
  using Lines = std::vector<std::string>;
  Lines parameters, constants, setup, stores, declarations, locate, loads, tiles, leads, tile_loads,
      checked_tile_loads, checked_loads, checked_stores, tile_stores, tile_reads, pack_stores;
  Lines load_firsts, firsts;  ///< what a thread of a tile computes once, for direct inputs first
  // A pack's elements go through a separate function, so that the text occurs once.
  std::string element_parameters, element_arguments;
  // The remainder of a packed loop.
  Lines rest_declarations, rest_loads, rest_stores;
  std::string rest_arguments;
  bool writes_raw = false;
};

/// Adds an operand to the parameters of the function of one element. Returns the text that comes
/// before its argument, which the arguments have already.
const char* add_element(ElementwisePieces& to, const Operand& operand);

ElementwisePieces pieces_of(const ElementwiseDefinition& definition, const ElementwiseLoop& loop);

}  // namespace kernelbatch
