#include "core/run/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

extern char** environ;

namespace kernelbatch {
namespace {

constexpr std::size_t kKeptBytes = 16 * 1024;
constexpr std::size_t kShownLines = 12;

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  int sockets[2];
  int pipes[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw RunError(fmt::format("cannot create a socket for a worker: {}", std::strerror(errno)));
  channel_ = Channel(FileDescriptor{sockets[0]});
  const FileDescriptor theirs{sockets[1]};
  if (::pipe2(pipes, O_CLOEXEC) != 0)
    throw RunError(fmt::format("cannot create a pipe for a worker: {}", std::strerror(errno)));
  output_ = FileDescriptor{pipes[0]};
  const FileDescriptor printed{pipes[1]};
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);

  // Moved away from 3, where a dup2 onto itself would leave the close-on-exec flag set.
  const FileDescriptor moved{::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 10)};
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, printed.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, printed.get(), 2);
  ::posix_spawn_file_actions_adddup2(&actions, moved.get(), 3);
  // A group of its own: Ctrl-C is the supervisor's to deal with.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  const int error = ::posix_spawn(&process_, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    process_ = -1;
    throw RunError(
        fmt::format("cannot start a worker ('{}'): {}", command[0], std::strerror(error)));
  }
}

WorkerProcess::~WorkerProcess() { kill(); }

void WorkerProcess::kill() noexcept {
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);  // and what it started: compilers
  ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void WorkerProcess::reap() {
  if (process_ <= 0) return;
  // The channel is closed, so it has ended or is about to; a worker that lingers is ended.
  siginfo_t ended{};
  for (int tries = 0;; ++tries) {
    ended.si_pid = 0;
    const int outcome =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if ((outcome == 0 && ended.si_pid != 0) || (outcome != 0 && errno != EINTR)) break;
    if (tries == 200) ::kill(process_, SIGKILL);
    ::usleep(5000);
  }
  ::kill(-process_, SIGKILL);  // what it started; its group is its own until it is waited for
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  end_ = describe_wait_status(status);
}

void WorkerProcess::read_output() {
  char buffer[1 << 14];
  for (;;) {
    const ssize_t count = ::read(output_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    printed_.append(buffer, static_cast<std::size_t>(count));
    if (printed_.size() > 2 * kKeptBytes) printed_.erase(0, printed_.size() - kKeptBytes);
  }
}

std::string WorkerProcess::last_lines() const {
  std::vector<std::string> lines = split(trim(printed_), '\n');
  if (lines.size() > kShownLines) lines.erase(lines.begin(), lines.end() - kShownLines);
  return join(lines, "\n");
}

WorkerProcess::Outcome WorkerProcess::receive(std::chrono::steady_clock::time_point deadline,
                                              int interrupt, WorkerMessage& message) {
  for (;;) {
    if (const auto frame = channel_.next()) {
      message = worker_message_from_json(*frame);
      read_output();
      return Outcome::kMessage;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      read_output();
      return Outcome::kTimedOut;
    }
    pollfd polled[3] = {
        {channel_.descriptor(), POLLIN, 0}, {output_.get(), POLLIN, 0}, {interrupt, POLLIN, 0}};
    const auto wait = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
    const int ready = ::poll(polled, interrupt >= 0 ? 3 : 2, wait);
    if (ready < 0 && errno != EINTR)
      throw RunError(fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
    if (interrupt >= 0 && (polled[2].revents & POLLIN) != 0) return Outcome::kInterrupted;
    if ((polled[1].revents & (POLLIN | POLLHUP)) != 0) read_output();
    if ((polled[0].revents & (POLLIN | POLLHUP)) != 0 && !channel_.read_available()) {
      if (const auto frame = channel_.next()) {
        message = worker_message_from_json(*frame);
        return Outcome::kMessage;
      }
      reap();
      read_output();
      return Outcome::kDied;
    }
  }
}

}  // namespace kernelbatch
