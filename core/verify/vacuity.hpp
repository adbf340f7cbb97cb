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

/// Result of comparing the reference's answers to two sets of inputs.
struct KnownAnswers {
  /// The first answer would pass as the second; empty: it would not. Irrelevant for a variant whose
  /// outputs distinguish() the two.
  std::string vacuous;
  std::string note;  ///< outputs whose answers do not differ at all; empty: all differ
};

/// Compares the answers to two sets of inputs. `specs` are the outputs of the second one.
KnownAnswers known_answers(const std::vector<OutputArray>& specs, const OutputArrays& first,
                           const OutputArrays& second);

/// True if an output is much closer to the answer to its own inputs than to that of others. No
/// answer known in advance is, whatever the tolerance.
bool distinguishes(const Array& got, const Array& want, const Array& other);

}  // namespace kernelbatch
