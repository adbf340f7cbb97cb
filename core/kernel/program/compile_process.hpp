// CompileProcess: compiles kernels for a confined process, which can start no compiler.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "core/base/file.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// A forked copy of this process that stays outside of the sandbox. It receives texts, options and
/// entries, and returns images for the host device; only it reads and writes the kernel cache,
/// under keys that it computes. It ends when this process ends.
class CompileProcess {
 public:
  /// Forks: no other thread of this process may hold a lock. Throws EnvironmentError.
  CompileProcess();

  /// compile_cached() there. `compiler` is the identity of the host device's compiler, with or
  /// without checks. Throws what compile_cached() throws; EnvironmentError if the process has
  /// ended.
  CachedImage compile(const KernelSource& source, const std::string& compiler);

 private:
  std::mutex mutex_;
  FileDescriptor socket_;
  std::map<std::string, Image> known_;  ///< by the request's hash
};

/// From here on compile_cached() of this process uses a CompileProcess. Call it before the sandbox
/// is entered.
void start_compile_process();
/// Null if none was started.
CompileProcess* compile_process() noexcept;

}  // namespace kernelbatch
