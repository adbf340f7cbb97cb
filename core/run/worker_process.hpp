// A worker process as the supervisor sees it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.hpp"
#include "core/case/channel.hpp"
#include "core/case/message.hpp"
#include "core/case/printed_text.hpp"
#include "core/run/patience.hpp"
#include "core/run/run_delay.hpp"

namespace kernelbatch {

/// What starts a worker.
struct WorkerCommand {
  std::vector<std::string> arguments;
  Variables environment = {};  ///< besides this process's
  /// Time after which a worker that is stopped is continued, and which does not count.
  std::chrono::milliseconds longest_stop = std::chrono::seconds(10);
};

/// A worker: a child process that answers requests with replies. Killed by the destructor where it
/// still runs, with all that it started: this process adopts what a worker leaves, and ends it,
/// too.
class WorkerProcess {
 public:
  /// Starts `command`; the channel is its descriptor 3, from which it must take a key before it
  /// says anything (Channel::take_key). Its output is kept. Throws RunError.
  explicit WorkerProcess(const WorkerCommand& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Returns whether the worker can be told. Where it cannot, nor later: the channel is closed, so
  /// that receive() says how the worker ended instead of waiting for an answer.
  bool send(std::string_view frame) { return send(frame, Channel::Wait::kForRoom); }
  /// As send(), without waiting for a worker that does not read.
  void answer(std::string_view frame) { send(frame, Channel::Wait::kNever); }

  enum class Outcome { kMessage, kTimedOut, kDied, kInterrupted };
  /// Waits for a message until patience is over, or until `interrupt` (a descriptor, -1 for none)
  /// can be read. Time in which this process is stopped or the worker waits for a core does not
  /// count. A worker that is stopped while this process runs is continued after
  /// WorkerCommand::longest_stop, and the time from then on counts; in a debugger an hour does not.
  /// What is no message, or is not the worker's own, ends the worker: kDied.
  Outcome receive(Patience& patience, int interrupt, Reply& reply);
  /// Whether it has said something that nobody asked for.
  bool has_unread();

  /// Waits until a worker that ends by itself has ended, so many seconds at most; then kills it.
  void await_end(double seconds) noexcept;
  void kill() noexcept;
  /// Ends the worker because of what it said; then end() is `reason`.
  void refuse(std::string reason) noexcept;
  /// After kDied: "killed by signal 11 (Segmentation fault)".
  const std::string& end() const noexcept { return end_; }
  /// After kDied: it was killed by SIGKILL, which was not sent from here: by the system, for want
  /// of memory, or by a person.
  bool was_killed_by_others() const noexcept { return was_killed_by_others_; }
  /// After kDied: something came over its channel that it did not send.
  bool was_forged() const noexcept { return was_forged_; }
  /// What it printed.
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
  std::vector<pid_t> others_;  ///< children of this process that were there before
  Patience::Clock::duration stopped_{}, longest_stop_;
  RunDelay delay_;
  PrintedText printed_;
  std::string end_;
  bool was_killed_by_others_ = false, was_forged_ = false;
};

}  // namespace kernelbatch
