// Detects answers that are known in advance: that to one set of inputs, given to another.
#pragma once

#include <string>
#include <vector>

#include "core/verify/verify.hpp"

namespace kernelbatch {

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
