// A worker process, seen by the supervisor.
#pragma once

#include <chrono>
#include <string>

#include "core/base/sandbox/sandbox.hpp"
#include "core/case/guard/channel.hpp"
#include "core/case/message.hpp"
#include "core/case/worker/printed_text.hpp"
#include "core/run/patience.hpp"
#include "core/run/worker_child.hpp"

namespace kernelbatch {

/// Text printed by a worker, read from its output without waiting.
class WorkerOutput {
 public:
  explicit WorkerOutput(FileDescriptor pipe);
  int descriptor() const noexcept { return pipe_.get(); }
  void read();
  PrintedText& text() noexcept { return text_; }

 private:
  FileDescriptor pipe_;
  PrintedText text_;
};

/// A worker: a child process that answers requests with replies. The destructor kills it if it is
/// still running.
class WorkerProcess {
 public:
  /// Starts `command`; the channel is its descriptor 3, from which it must take a key before it
  /// sends anything (Channel::take_key). Its output is kept. Throws RunError.
  explicit WorkerProcess(const WorkerCommand& command);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Returns false if the message cannot be sent, now and later: the channel is then closed, so
  /// that receive() reports how the worker ended instead of waiting for an answer. kNever: a worker
  /// that does not read is not waited for.
  bool send(std::string_view frame, Channel::Wait wait = Channel::Wait::kForRoom);

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
  void kill() noexcept { child_.kill(); }
  /// Ends the worker because of an invalid message; then end() is `reason`.
  void refuse(std::string reason) noexcept;
  /// After kDied: "killed by signal 11 (Segmentation fault)".
  const std::string& end() const noexcept { return child_.end(); }
  /// After kDied: it was killed by a SIGKILL that was not sent from here: by the system when memory
  /// ran out, or by a user.
  bool was_killed_by_others() const noexcept { return child_.was_killed_by_others(); }
  /// After kDied: its channel carried a message that it did not send.
  bool was_forged() const noexcept { return was_forged_; }
  /// After kDied: the system call for which the sandbox ended it: "start a program (execve)";
  /// empty if another reason did.
  std::string refusal() {
    if (!child_.was_refused()) return "";
    const std::string& printed = output_.text().refusal();
    return printed.empty() ? std::string(kUnprintedRefusal) : printed;
  }
  /// Text that it printed.
  PrintedText& printed() noexcept { return output_.text(); }

 private:
  struct Ends;
  WorkerProcess(const WorkerCommand& command, Ends ends);
  bool take(Reply& reply);
  bool skip_stop(Patience& patience);

  Channel channel_;
  WorkerOutput output_;
  WorkerChild child_;
  Patience::Clock::duration stopped_{}, longest_stop_;
  bool was_forged_ = false;
};

}  // namespace kernelbatch
