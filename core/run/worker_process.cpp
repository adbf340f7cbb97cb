#include "core/run/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>
#include <utility>

#include "core/base/children.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Limit of reads, so that a worker that prints continuously does not block its messages.
constexpr int kReadsAtOnce = 64;
/// Time for a worker to end after it closed its channel.
constexpr double kLingerSeconds = 2;
constexpr auto kLongestDebugging = std::chrono::hours(1);

/// Workers of this process that were not waited for yet, which are not orphans.
struct Living {
  std::mutex mutex;
  std::vector<pid_t> processes;
};

Living& living() {
  static Living instance;
  return instance;
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command) : longest_stop_(command.longest_stop) {
  adopt_orphans();
  const std::lock_guard lock(living().mutex);
  for (const ChildProcess& child : child_processes(living().processes))
    others_.push_back(child.process);
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw RunError(fmt::format("cannot create a socket for a worker: {}", std::strerror(errno)));
  channel_ = Channel(FileDescriptor{sockets[0]});
  const FileDescriptor theirs{sockets[1]};
  // The socket holds the key until the worker reads it. Failures are handled as in send().
  if (!channel_.give_key()) channel_.shut_down();
  Pipe printed = make_pipe();
  output_ = std::move(printed.read_end);
  if (::fcntl(output_.get(), F_SETFL, O_NONBLOCK) != 0)
    throw RunError(fmt::format("cannot set up a pipe for a worker: {}", std::strerror(errno)));
  // A separate process group: Ctrl-C is handled by the supervisor.
  process_ = spawn(command.arguments, {.descriptors = {{0, SpawnOptions::kNull},
                                                       {1, printed.write_end.get()},
                                                       {2, printed.write_end.get()},
                                                       {3, theirs.get()}},
                                       .environment = command.environment,
                                       .own_group = true});
  delay_ = RunDelay(process_);
  living().processes.push_back(process_);
}

WorkerProcess::~WorkerProcess() { kill(); }

void WorkerProcess::kill() noexcept {
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);  // including its children, such as compilers
  ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  end_orphans();
}

void WorkerProcess::await_end(double seconds) noexcept {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (process_ > 0 && std::chrono::steady_clock::now() < until) {
    read_output();
    siginfo_t ended{};
    const int outcome =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (outcome == 0 && ended.si_pid != 0) break;
    ::usleep(5000);
  }
  kill();
}

void WorkerProcess::refuse(std::string reason) noexcept {
  end_.clear();
  kill();
  read_output();
  end_ = std::move(reason) + end_;
}

/// Ends processes that left the worker's group and are now children of this process. The worker's
/// own end is known.
void WorkerProcess::end_orphans() noexcept {
  try {
    const std::lock_guard lock(living().mutex);
    const pid_t group = std::exchange(process_, -1);
    std::erase(living().processes, group);
    std::vector<pid_t> except = others_;
    except.insert(except.end(), living().processes.begin(), living().processes.end());
    const std::vector<std::string> left = end_children(except, group);
    if (!left.empty())
      end_ += fmt::format("; its child processes were ended: {}", join(left, ", "));
  } catch (const std::exception& error) {
    warn(fmt::format("cannot find processes left by a worker: {}", error.what()));
  }
}

void WorkerProcess::reap() {
  if (process_ <= 0) return;
  // The channel is closed, so the worker has ended or is about to; if it lingers, it is killed.
  siginfo_t ended{};
  bool lost = false;
  for (Patience patience(kLingerSeconds);; patience.tick()) {
    ended.si_pid = 0;
    const int outcome =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if ((outcome == 0 && ended.si_pid != 0) || (outcome != 0 && errno != EINTR)) break;
    if (!lost && is_over(patience)) {
      lost = true;
      ::kill(process_, SIGKILL);
    }
    ::usleep(5000);
  }
  ::kill(-process_, SIGKILL);  // its children; the group ID is valid until it is waited for
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == Channel::kLostExitCode) lost = true;
  end_ = lost ? "it closed its channel to the supervisor (descriptor 3)"
              : describe_wait_status(status);
  was_killed_by_others_ = !lost && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  end_orphans();
}

WorkerProcess::Stop WorkerProcess::stop() const {
  std::ifstream file(fmt::format("/proc/{}/stat", process_));
  std::string text;
  std::getline(file, text);
  const std::size_t state = text.rfind(')') + 2;
  if (text.size() <= state) return Stop::kNone;
  return text[state] == 'T'   ? Stop::kBySignal
         : text[state] == 't' ? Stop::kByDebugger
                              : Stop::kNone;
}

bool WorkerProcess::is_over(Patience& patience) {
  if (patience.is_over() || patience.uncredited() >= Patience::kSlice)
    patience.credit(delay_.take());
  return patience.is_over();
}

bool WorkerProcess::has_unread() {
  if (!channel_.read_available()) return true;
  return channel_.has_unread();
}

void WorkerProcess::read_output() {
  char buffer[1 << 14];
  for (int reads = 0; reads < kReadsAtOnce; ++reads) {
    const ssize_t count = ::read(output_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    // There are no more writers: it would stay readable.
    if (count == 0) output_.reset();
    if (count <= 0) return;
    printed_.add({buffer, static_cast<std::size_t>(count)});
  }
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

WorkerProcess::Outcome WorkerProcess::receive(Patience& patience, int interrupt, Reply& reply) {
  try {
    for (;;) {
      if (take(reply)) {
        read_output();
        return Outcome::kMessage;
      }
      if (is_over(patience) || stopped_ >= kLongestDebugging) {
        read_output();
        return Outcome::kTimedOut;
      }
      pollfd polled[3] = {
          {channel_.descriptor(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {interrupt, POLLIN, 0}};
      const auto slice =
          std::chrono::duration_cast<std::chrono::milliseconds>(patience.slice()).count();
      const int ready = ::poll(polled, interrupt >= 0 ? 3 : 2, static_cast<int>(slice) + 1);
      if (ready < 0 && errno != EINTR)
        throw RunError(fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
      const Stop stopped = ready == 0 ? stop() : Stop::kNone;
      if (stopped == Stop::kByDebugger ||
          (stopped == Stop::kBySignal && stopped_ < longest_stop_)) {
        stopped_ += patience.skip();
        continue;
      }
      if (stopped == Stop::kBySignal) ::kill(-process_, SIGCONT);
      patience.tick();
      if (ready <= 0) continue;
      if (interrupt >= 0 && (polled[2].revents & POLLIN) != 0) return Outcome::kInterrupted;
      if ((polled[1].revents & (POLLIN | POLLHUP)) != 0) read_output();
      if ((polled[0].revents & (POLLIN | POLLHUP)) != 0 && !channel_.read_available()) {
        if (take(reply)) return Outcome::kMessage;
        reap();
        read_output();
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
