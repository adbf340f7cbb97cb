// CompileAhead: compiles the kernels that a run needs next while its worker measures others.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/file.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/compile_case.hpp"

namespace kernelbatch {

/// Number of processes that compile during a measurement, if set; 0: none.
inline constexpr const char* kCompilersVariable = "KERNELBATCH_COMPILERS";

/// Processes that may compile during a measurement: kCompilersVariable, but no more than there are
/// cores without those of the worker: one, two of more than eight.
int compile_processes();

/// Processes that compile into the kernel cache, from which the worker loads: at first the
/// harness's own kernels. They run on other cores, begin once the worker knows the device, and end
/// with this object: at most eight, which compile faster than one worker measures. The worker
/// waits for a kernel that is being compiled; a kernel that cannot be compiled here fails again
/// when its turn comes, and is reported then.
class CompileAhead {
 public:
  /// A variant of a case.
  struct Wanted {
    CaseRequest request;    ///< of one variant
    std::size_t order = 0;  ///< of its case
    double bytes = 0;       ///< of its arrays; 0 = unknown
  };

  /// `device`: the run's selector.
  CompileAhead(WorkerCommand command, const JobSpec& job, std::string device, int processes);
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  int processes() const noexcept { return processes_; }
  /// The device to compile for, as the worker reports it: no driver is started for it. Until the
  /// worker has opened it, some of the processes wait: all together would delay that.
  void use_device(const DeviceProperties& device, bool is_open);
  /// Adds a kernel, unless it is waiting or was compiled. Kernels are compiled in the order of
  /// their cases.
  void want(Wanted wanted);
  /// The run begins this case: kernels of earlier ones are not compiled any more.
  void begin(std::size_t order);
  /// Adds the seconds for which a result's kernels were compiled here.
  void add_compile_time(ResultRecord& record);

 private:
  using Key = std::pair<std::string, std::string>;  ///< case, variant
  /// A part of harness_parts(), or a kernel.
  using Task = std::variant<std::size_t, Wanted>;
  void compile_all(int number);
  std::optional<Task> take();
  void compile(CaseCompiler& compiler, const Wanted& wanted);

  WorkerCommand command_;
  const JobSpec& job_;
  std::string selector_;
  int processes_;
  std::size_t parts_, next_part_ = 0;  ///< of harness_parts()
  FileDescriptor ended_;               ///< readable at the end
  std::mutex mutex_;
  std::optional<DeviceProperties> device_;
  std::condition_variable changed_;
  std::deque<Wanted> waiting_;
  std::set<Key> known_;
  std::map<Key, double> seconds_;
  double bytes_ = 0;  ///< of the cases that are being compiled
  bool is_ended_ = false, is_open_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kernelbatch
