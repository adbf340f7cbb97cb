// CaseCompiler: compiles the kernels of cases in a process of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/case/case_request.hpp"
#include "core/case/compile_run.hpp"
#include "core/run/worker_process.hpp"

namespace kernelbatch {

/// Is told what became of each variant, in order.
using OnCompiled = std::function<void(const std::string& variant, const CompileOutcome& outcome)>;

/// A variant that crashes, or does not end in time, loses its own kernels only.
class CaseCompiler {
 public:
  /// `worker_command` starts run_compile_worker() on descriptor 3.
  explicit CaseCompiler(std::vector<std::string> worker_command);
  ~CaseCompiler();

  /// Compiles all variants of the request for `request.device`, a compile target. Throws SpecError
  /// for inputs that cannot be made, DeviceError where the compiler is not to be had.
  void compile(CaseRequest request, double timeout_s, const OnCompiled& on_compiled);

 private:
  std::vector<std::string> worker_command_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace kernelbatch
