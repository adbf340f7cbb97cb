// ReferenceOutputs: what a reference writes, in plain host memory, and the checks of its calls.
#pragma once

#include <map>
#include <string>

#include "core/verify/verify.hpp"

namespace kernelbatch {

/// A reference is what others are compared with: each of its calls must make the same again.
class ReferenceOutputs {
 public:
  /// The array of an output; the same one each time.
  Array array(const OutputArray& spec);
  /// A copy as they are now.
  OutputArrays copied() const;
  /// The arrays themselves: no call comes any more.
  OutputArrays taken() const;
  /// Takes away what the last call wrote.
  void poison();
  /// Whether all are `first`, bit by bit.
  bool are_same(const OutputArrays& first) const;
  /// Throws VerificationError naming `call` where they differ from `first` beyond their tolerances.
  void require_alike(const OutputArrays& first, const std::vector<OutputArray>& specs,
                     const std::string& call) const;

 private:
  OutputArrays arrays_;
};

}  // namespace kernelbatch
