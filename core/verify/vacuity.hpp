// Whether a tolerance can fail at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Asks the reference's outputs whether a wrong answer would pass in their place: zeros, a
/// constant, one of the inputs, or the answer with one element in a hundred replaced. Looks at some
/// ten thousand finite elements of each. Returns a sentence about the first that would; empty where
/// none would.
std::string vacuous_tolerance(const std::vector<OutputArray>& specs, const OutputArrays& want,
                              const std::vector<std::pair<std::string, Array>>& inputs);

}  // namespace kernelbatch
