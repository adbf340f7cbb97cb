// Whether a tolerance can fail at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Asks the reference's outputs in how many elements a wrong answer would pass in their place:
/// zeros, a constant, one of the inputs, or of the answer with one element in a hundred replaced,
/// in how many of these. Reads some ten thousand finite elements of each. Returns a sentence about
/// the first that would pass as a whole or in more than a tenth; empty if none would.
std::string vacuous_tolerance(const std::vector<OutputArray>& specs, const OutputArrays& want,
                              const std::vector<std::pair<std::string, Array>>& inputs);

/// What the references of two sets of inputs show.
struct KnownAnswers {
  /// The first answer would pass as the second; empty: none would. It does not matter for a
  /// variant whose outputs distinguish() the two.
  std::string vacuous;
  std::string note;  ///< outputs whose answers do not differ at all; empty: all differ
};

/// Compares the answers to two sets of inputs. `specs` are the outputs of the second one.
KnownAnswers known_answers(const std::vector<OutputArray>& specs, const OutputArrays& first,
                           const OutputArrays& second);

/// Whether an output is much nearer to the answer to its own inputs than to that of others, which
/// no answer that is known in advance is, whatever the tolerance lets pass.
bool distinguishes(const Array& got, const Array& want, const Array& other);

}  // namespace kernelbatch
