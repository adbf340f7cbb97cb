// CompiledCase: the problem of the last case whose kernels were compiled.
#pragma once

#include <string>

#include "core/case/case_loader.hpp"

namespace kernelbatch {

/// Variants of a case are compiled in separate requests, for which its problem is kept. A large one
/// is made again, since several workers compile.
class CompiledCase {
 public:
  /// Valid until the next call.
  const Problem& problem(CaseLoader& loader, const RequestedCase& wanted);
  /// The job has changed.
  void forget() { loaded_ = {}; }

 private:
  LoadedProblem loaded_;
  std::string case_id_;
};

}  // namespace kernelbatch
