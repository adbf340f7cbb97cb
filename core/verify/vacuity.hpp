// Detects tolerances that cannot fail.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Determines in how many elements of the reference's outputs a wrong answer would pass: zeros, a
/// constant, one of the inputs, or the answer with one element in a hundred replaced (counting only
/// those). Samples some ten thousand finite elements of each. Returns a sentence about the first
/// wrong answer that would pass as a whole or in more than a tenth of the elements; empty if none
/// would.
std::string vacuous_tolerance(const std::vector<OutputArray>& specs, const OutputArrays& want,
                              const std::vector<std::pair<std::string, Array>>& inputs);

}  // namespace kernelbatch
