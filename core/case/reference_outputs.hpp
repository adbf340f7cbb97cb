// ReferenceOutputs: a reference's outputs in plain host memory, and the checks of its calls.
#pragma once

#include <map>
#include <string>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Other variants are compared with a reference: each of its calls must reproduce its outputs.
class ReferenceOutputs {
 public:
  /// The array of an output; the same one each time.
  Array array(const OutputArray& spec);
  /// A copy of the current contents.
  OutputArrays copied() const;
  /// The arrays themselves: for use after the last call.
  OutputArrays taken() const;
  /// Overwrites the outputs of the last call with poison.
  void poison();
  /// True if all outputs equal `first` bit by bit.
  bool are_same(const OutputArrays& first) const;
  /// Throws VerificationError naming `call` if they differ from `first` beyond their tolerances.
  void require_alike(const OutputArrays& first, const std::vector<OutputArray>& specs,
                     const std::string& call) const;

 private:
  OutputArrays arrays_;
};

}  // namespace kernelbatch
