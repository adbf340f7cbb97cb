#include "core/run/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process.hpp"

namespace kernelbatch {
namespace {

/// Limit of reads, so that a worker that prints continuously does not block its messages.
constexpr int kReadsAtOnce = 64;
constexpr auto kLongestDebugging = std::chrono::hours(1);

}  // namespace

WorkerOutput::WorkerOutput(FileDescriptor pipe) : pipe_(std::move(pipe)) {
  if (::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK) != 0)
    throw RunError(fmt::format("cannot set up a pipe for a worker: {}", std::strerror(errno)));
}

void WorkerOutput::read() {
  char buffer[1 << 14];
  for (int reads = 0; reads < kReadsAtOnce; ++reads) {
    const ssize_t count = ::read(pipe_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    // There are no more writers: it would stay readable.
    if (count == 0) pipe_.reset();
    if (count <= 0) return;
    text_.add({buffer, static_cast<std::size_t>(count)});
  }
}

/// The two ends of the connections to a worker.
struct WorkerProcess::Ends {
  Ends() : printed(make_pipe()) {
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
      throw RunError(fmt::format("cannot create a socket for a worker: {}", std::strerror(errno)));
    ours = FileDescriptor{sockets[0]};
    theirs = FileDescriptor{sockets[1]};
  }
  FileDescriptor ours, theirs;
  Pipe printed;
};

WorkerProcess::WorkerProcess(const WorkerCommand& command) : WorkerProcess(command, Ends()) {}

WorkerProcess::WorkerProcess(const WorkerCommand& command, Ends ends)
    : channel_(std::move(ends.ours)),
      output_(std::move(ends.printed.read_end)),
      child_(command, ends.theirs, ends.printed.write_end),
      longest_stop_(command.longest_stop) {
  // The socket holds the key until the worker reads it.
  if (!channel_.give_key()) channel_.shut_down();
}

bool WorkerProcess::send(std::string_view frame, Channel::Wait wait) {
  if (channel_.send(frame, {}, wait)) return true;
  channel_.shut_down();
  return false;
}

void WorkerProcess::await_end(double seconds) noexcept {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (child_.is_known() && std::chrono::steady_clock::now() < until) {
    output_.read();
    if (child_.has_exited()) break;
    ::usleep(5000);
  }
  kill();
}

void WorkerProcess::refuse(std::string reason) noexcept {
  child_.kill_for(std::move(reason));
  output_.read();
}

bool WorkerProcess::has_unread() {
  if (!channel_.read_available()) return true;
  return channel_.has_unread();
}

/// Takes the next message, if one has arrived.
bool WorkerProcess::take(Reply& reply) {
  auto frame = channel_.next();
  if (!frame) return false;
  reply = reply_from_frame(frame->text);
  auto* result = std::get_if<Result>(&reply);
  const std::size_t outputs = result != nullptr ? result->outputs.size() : 0;
  if (outputs != frame->files.size())
    throw RunError(fmt::format("a message names {} outputs and contains {} files", outputs,
                               frame->files.size()));
  for (std::size_t k = 0; k < outputs; ++k) result->outputs[k].file = std::move(frame->files[k]);
  return true;
}

/// Excludes time in which the worker is stopped, or continues it after longest_stop_. Returns true
/// if it stays stopped.
bool WorkerProcess::skip_stop(Patience& patience) {
  const WorkerChild::Stop stop = child_.stop();
  if (stop == WorkerChild::Stop::kByDebugger ||
      (stop == WorkerChild::Stop::kBySignal && stopped_ < longest_stop_)) {
    stopped_ += patience.skip();
    return true;
  }
  if (stop == WorkerChild::Stop::kBySignal) child_.resume();
  return false;
}

WorkerProcess::Outcome WorkerProcess::receive(Patience& patience, int interrupt, Reply& reply) {
  try {
    for (;;) {
      if (take(reply)) {
        output_.read();
        return Outcome::kMessage;
      }
      if (child_.is_over(patience) || stopped_ >= kLongestDebugging) {
        output_.read();
        return Outcome::kTimedOut;
      }
      pollfd polled[3] = {{channel_.descriptor(), POLLIN, 0},
                          {output_.descriptor(), POLLIN, 0},
                          {interrupt, POLLIN, 0}};
      const auto slice =
          std::chrono::duration_cast<std::chrono::milliseconds>(patience.slice()).count();
      const int ready = ::poll(polled, interrupt >= 0 ? 3 : 2, static_cast<int>(slice) + 1);
      if (ready < 0 && errno != EINTR)
        throw RunError(fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
      if (ready == 0 && skip_stop(patience)) continue;
      patience.tick();
      if (ready <= 0) continue;
      if (interrupt >= 0 && (polled[2].revents & POLLIN) != 0) return Outcome::kInterrupted;
      if ((polled[1].revents & (POLLIN | POLLHUP)) != 0) output_.read();
      if ((polled[0].revents & (POLLIN | POLLHUP)) != 0 && !channel_.read_available()) {
        if (take(reply)) return Outcome::kMessage;
        child_.reap();
        output_.read();
        return Outcome::kDied;
      }
    }
  } catch (const ForgedMessage& error) {
    refuse(error.what());
    was_forged_ = true;
    return Outcome::kDied;
  } catch (const RunError& error) {
    refuse(error.what());
    return Outcome::kDied;
  }
}

}  // namespace kernelbatch
