#include "core/base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/long_text.hpp"

extern char** environ;

namespace kernelbatch {
namespace {

/// A program that prints continuously must not use all memory.
constexpr std::size_t kLongestOutput = std::size_t{16} << 20;

/// Owners of posix_spawn's arguments.
class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class SpawnAttributes {
 public:
  explicit SpawnAttributes(const SpawnOptions& options) {
    ::posix_spawnattr_init(&attributes_);
    int flags = 0;
    if (options.default_signals) {
      sigset_t none, all;
      ::sigemptyset(&none);
      ::sigfillset(&all);
      ::posix_spawnattr_setsigmask(&attributes_, &none);
      ::posix_spawnattr_setsigdefault(&attributes_, &all);
      flags |= POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    }
    if (options.own_group) {
      ::posix_spawnattr_setpgroup(&attributes_, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// This process's environment with some variables added or replaced.
std::vector<std::string> environment_with(const Variables& added) {
  std::vector<std::string> all;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::ranges::find(added, name, &Variables::value_type::first) == added.end())
      all.emplace_back(variable);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw EnvironmentError(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  return {FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

pid_t spawn(const std::vector<std::string>& arguments, const SpawnOptions& options) {
  const auto fail = [&](int error) {
    throw EnvironmentError(
        fmt::format("cannot start '{}': {}", arguments[0], std::strerror(error)));
  };
  const std::vector<std::string> variables = environment_with(options.environment);
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(variables);
  int above = 3;
  for (const auto& each : options.descriptors) above = std::max(above, each.first + 1);
  SpawnActions actions;
  std::vector<FileDescriptor> moved;
  for (auto [theirs, ours] : options.descriptors) {
    if (ours == SpawnOptions::kNull) {
      ::posix_spawn_file_actions_addopen(actions.get(), theirs, "/dev/null",
                                         theirs == 0 ? O_RDONLY : O_WRONLY, 0);
      continue;
    }
    // A descriptor with one of the child's numbers could be overwritten before it is copied; and
    // dup2 onto itself keeps the close-on-exec flag.
    if (ours < above) {
      moved.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, above));
      if (!moved.back()) fail(errno);
      ours = moved.back().get();
    }
    ::posix_spawn_file_actions_adddup2(actions.get(), ours, theirs);
  }
  const SpawnAttributes attributes(options);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, argv[0], actions.get(), attributes.get(), argv.data(), envp.data());
  if (error != 0) fail(error);
  return child;
}

ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::optional<std::string>& input) {
  Pipe out = make_pipe();
  Pipe in = make_pipe();
  const pid_t child = spawn(
      arguments,
      {.descriptors = {{0, in.read_end.get()}, {1, out.write_end.get()}, {2, out.write_end.get()}},
       .default_signals = true});
  out.write_end.reset();
  in.read_end.reset();

  ProcessResult result;
  std::string_view pending = input ? std::string_view(*input) : std::string_view();
  if (pending.empty()) in.write_end.reset();
  for (bool open = true; open;) {
    pollfd polled[2] = {{out.read_end.get(), POLLIN, 0}, {in.write_end.get(), POLLOUT, 0}};
    if (::poll(polled, in.write_end ? 2 : 1, -1) < 0 && errno != EINTR) break;
    if (in.write_end && (polled[1].revents & (POLLOUT | POLLERR)) != 0) {
      const ssize_t count =
          ::write(in.write_end.get(), pending.data(), std::min<std::size_t>(pending.size(), 4096));
      if (count > 0) pending.remove_prefix(static_cast<std::size_t>(count));
      if (pending.empty() || (count < 0 && errno != EINTR)) in.write_end.reset();
    }
    if ((polled[0].revents & (POLLIN | POLLHUP)) != 0) {
      char buffer[1 << 14];
      const ssize_t count = ::read(out.read_end.get(), buffer, sizeof buffer);
      if (count > 0) result.output.append(buffer, static_cast<std::size_t>(count));
      if (result.output.size() > 2 * kLongestOutput)
        result.output = head_and_tail(result.output, kLongestOutput);
      if (count == 0 || (count < 0 && errno != EINTR)) open = false;
    }
  }
  int status = 0;
  pid_t waited = 0;
  while ((waited = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  // If SIGCHLD is ignored, the exit status is unknown.
  if (waited < 0)
    throw RunError(fmt::format("cannot wait for '{}': {}", arguments[0], std::strerror(errno)));
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

void open_standard_descriptors() noexcept {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one.
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? std::optional<std::filesystem::path>(name)
                                             : std::nullopt;
  const std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path candidate =
        std::filesystem::path(path.substr(begin, end - begin)) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate))
      return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string describe_wait_status(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("wait status {}", status);
}

}  // namespace kernelbatch
