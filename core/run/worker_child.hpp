// WorkerChild: the system's process of a worker, and the processes that it starts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.hpp"
#include "core/base/run_delay.hpp"
#include "core/run/patience.hpp"

namespace kernelbatch {

/// Command that starts a worker.
struct WorkerCommand {
  std::vector<std::string> arguments;
  Variables environment = {};  ///< in addition to this process's
  /// Time after which a stopped worker is continued; it does not count towards limits.
  std::chrono::milliseconds longest_stop = std::chrono::seconds(10);
};

/// The destructor kills it if it is still running, with all processes that it started: this process
/// adopts and ends processes that a worker leaves.
class WorkerChild {
 public:
  /// `channel` is its descriptor 3, `output` what it prints to. Throws RunError.
  WorkerChild(const WorkerCommand& command, const FileDescriptor& channel,
              const FileDescriptor& output);
  ~WorkerChild() { kill(); }
  WorkerChild(const WorkerChild&) = delete;
  WorkerChild& operator=(const WorkerChild&) = delete;

  /// True until it is waited for.
  bool is_known() const noexcept { return process_ > 0; }
  /// It has exited and was not waited for.
  bool has_exited() const noexcept;
  void kill() noexcept;
  /// Waits for a child that has ended or is about to: if it lingers, it is killed.
  void reap();
  /// Kills it; then end() is `reason` and the processes that it left.
  void kill_for(std::string reason) noexcept;

  enum class Stop { kNone, kBySignal, kByDebugger };
  Stop stop() const;
  void resume() noexcept;
  /// True if patience is over, without the time in which the child waited for a core.
  bool is_over(Patience& patience);

  /// After reap() or kill_for(): "killed by signal 11 (Segmentation fault)".
  const std::string& end() const noexcept { return end_; }
  /// After reap(): by a SIGKILL that was not sent from here.
  bool was_killed_by_others() const noexcept { return was_killed_by_others_; }
  /// After reap(): the sandbox refused a system call.
  bool was_refused() const noexcept { return was_refused_; }

 private:
  void end_orphans() noexcept;

  pid_t process_ = -1;
  std::vector<pid_t> others_;  ///< earlier children of this process
  RunDelay delay_;
  std::string end_;
  bool was_killed_by_others_ = false, was_refused_ = false;
};

}  // namespace kernelbatch
