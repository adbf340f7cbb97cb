// A worker process, seen by the supervisor.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.hpp"
#include "core/base/run_delay.hpp"
#include "core/case/guard/channel.hpp"
#include "core/case/message.hpp"
#include "core/case/worker/printed_text.hpp"
#include "core/run/patience.hpp"

namespace kernelbatch {

/// Command that starts a worker.
struct WorkerCommand {
  std::vector<std::string> arguments;
  Variables environment = {};  ///< in addition to this process's
  /// Time after which a stopped worker is continued; it does not count towards limits.
  std::chrono::milliseconds longest_stop = std::chrono::seconds(10);
};

/// A worker: a child process that answers requests with replies. The destructor kills it if it is
/// still running, with all processes that it started: this process adopts and ends processes that a
/// worker leaves.
class WorkerProcess {
 public:
  /// Starts `command`; the channel is its descriptor 3, from which it must take a key before it
  /// sends anything (Channel::take_key). Its output is kept. Throws RunError.
  explicit WorkerProcess(const WorkerCommand& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Returns false if the message cannot be sent, now and later: the channel is then closed, so
  /// that receive() reports how the worker ended instead of waiting for an answer.
  bool send(std::string_view frame) { return send(frame, Channel::Wait::kForRoom); }
  /// Like send(), without waiting for a worker that does not read.
  void answer(std::string_view frame) { send(frame, Channel::Wait::kNever); }

  enum class Outcome { kMessage, kTimedOut, kDied, kInterrupted };
  /// Waits for a message until patience is over, or until `interrupt` (a descriptor, -1 for none)
  /// is readable. Time in which this process is stopped or the worker waits for a core does not
  /// count. A worker that is stopped while this process runs is continued after
  /// WorkerCommand::longest_stop, and the time from then on counts; under a debugger an hour is
  /// excluded. Data other than a message of this worker ends it: kDied.
  Outcome receive(Patience& patience, int interrupt, Reply& reply);
  /// True if it sent an unrequested message.
  bool has_unread();

  /// Waits at most `seconds` for a worker that exits by itself; then kills it.
  void await_end(double seconds) noexcept;
  void kill() noexcept;
  /// Ends the worker because of an invalid message; then end() is `reason`.
  void refuse(std::string reason) noexcept;
  /// After kDied: "killed by signal 11 (Segmentation fault)".
  const std::string& end() const noexcept { return end_; }
  /// After kDied: it was killed by a SIGKILL that was not sent from here: by the system when memory
  /// ran out, or by a user.
  bool was_killed_by_others() const noexcept { return was_killed_by_others_; }
  /// After kDied: its channel carried a message that it did not send.
  bool was_forged() const noexcept { return was_forged_; }
  /// Text that it printed.
  PrintedText& printed() noexcept { return printed_; }

 private:
  bool send(std::string_view frame, Channel::Wait wait) {
    if (channel_.send(frame, {}, wait)) return true;
    channel_.shut_down();
    return false;
  }
  bool take(Reply& reply);
  void read_output();
  void reap();
  enum class Stop { kNone, kBySignal, kByDebugger };
  Stop stop() const;
  bool is_over(Patience& patience);
  void end_orphans() noexcept;

  Channel channel_{FileDescriptor{}};
  FileDescriptor output_;
  pid_t process_ = -1;
  std::vector<pid_t> others_;  ///< earlier children of this process
  Patience::Clock::duration stopped_{}, longest_stop_;
  RunDelay delay_;
  PrintedText printed_;
  std::string end_;
  bool was_killed_by_others_ = false, was_forged_ = false;
};

}  // namespace kernelbatch
