// CaseCompiler: compiles the kernels of cases in a separate process.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/worker_client.hpp"

namespace kernelbatch {

/// Called with the outcome of each variant, in order.
using OnCompiled = std::function<void(const std::string& variant, const CompileOutcome& outcome)>;

/// Compiles cases. A variant that crashes or times out loses only its own kernels.
class CaseCompiler {
 public:
  /// `worker_command` starts run_worker() on descriptor 3. If `interrupt` becomes readable, the
  /// current variant is lost.
  CaseCompiler(WorkerCommand worker_command, const JobSpec& job, int interrupt = -1);
  /// use_job() must come before the first case.
  explicit CaseCompiler(WorkerCommand worker_command, int interrupt = -1);

  void use_job(const JobSpec& job);
  /// Starts a worker, which the first request would do.
  void start() { workers_.start(); }
  /// Properties of the target of later requests, which another process has opened.
  void use_device(DeviceProperties device) { device_ = std::move(device); }

  /// Compiles all variants of the request for `request.device`, a compile target. Throws SpecError
  /// for inputs that cannot be made, DeviceError if the compiler is not available.
  void compile(CaseRequest request, const OnCompiled& on_compiled);
  /// Compiles one of harness_parts() for `device`, a compile target. Compile errors are not
  /// reported: a run compiles these kernels again.
  void compile_harness(const std::string& device, std::size_t part);

 private:
  bool serve(CaseRequest& request, const OnCompiled& on_compiled);

  WorkerClient workers_;
  double timeout_s_ = 0;
  DeviceProperties device_ = {};  ///< without a selector: unknown
};

}  // namespace kernelbatch
