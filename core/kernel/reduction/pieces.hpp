// The pieces of a reduction's text, by their place in its templates.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/reduction/pass.hpp"

namespace kernelbatch {

struct ReductionPieces {
  using Lines = std::vector<std::string>;
  Lines row_members, locate_row, row_setup, map_setup, post_setup, post_stores;
  std::string map_parameters, post_parameters;
  Lines scalar_load, pack_load, across_load, finish_all;
  Lines head, shift, own_load;         ///< for packs that begin at aligned addresses
  Lines head_of_rows, folded_element;  ///< for rows that are processed as one
  Lines line, along, beside;
  Lines pieces, fetches, staged_row;  ///< rows in shared memory
};

ReductionPieces pieces_of(const ReductionDefinition& definition, const ReductionPass& pass);

}  // namespace kernelbatch
