// A worker process as the supervisor sees it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/run/case_request.hpp"
#include "core/run/channel.hpp"

namespace kernelbatch {

/// A child process that speaks WorkerMessage. Killed by the destructor where it still runs.
class WorkerProcess {
 public:
  /// Starts `command`; the channel is its descriptor 3, its output is kept. Throws RunError.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// False when the worker is gone.
  bool send(std::string_view frame) { return channel_.send(frame); }

  enum class Outcome { kMessage, kTimedOut, kDied, kInterrupted };
  /// Waits for a message until the deadline, or until `interrupt` (a descriptor, -1 for none) can
  /// be read.
  Outcome receive(std::chrono::steady_clock::time_point deadline, int interrupt,
                  WorkerMessage& message);

  void kill() noexcept;
  /// After kDied: "killed by signal 11 (Segmentation fault)".
  const std::string& end() const noexcept { return end_; }
  /// The last lines of what it printed.
  std::string last_lines() const;

 private:
  void read_output();
  void reap();

  Channel channel_{FileDescriptor{}};
  FileDescriptor output_;
  pid_t process_ = -1;
  std::string printed_, end_;
};

}  // namespace kernelbatch
