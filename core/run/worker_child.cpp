#include "core/run/worker_child.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <mutex>
#include <utility>

#include "core/base/children.hpp"
#include "core/base/error.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"
#include "core/case/guard/channel.hpp"

namespace kernelbatch {
namespace {

/// Time for a worker to end after it closed its channel.
constexpr double kLingerSeconds = 2;

/// Workers of this process that were not waited for yet, which are not orphans.
struct Living {
  std::mutex mutex;
  std::vector<pid_t> processes;
};

Living& living() {
  static Living instance;
  return instance;
}

int wait_for(pid_t process) noexcept {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

WorkerChild::WorkerChild(const WorkerCommand& command, const FileDescriptor& channel,
                         const FileDescriptor& output) {
  adopt_orphans();
  const std::lock_guard lock(living().mutex);
  for (const ChildProcess& child : child_processes(living().processes))
    others_.push_back(child.process);
  // A separate process group: Ctrl-C is handled by the supervisor.
  process_ = spawn(command.arguments, {.descriptors = {{0, SpawnOptions::kNull},
                                                       {1, output.get()},
                                                       {2, output.get()},
                                                       {3, channel.get()}},
                                       .environment = command.environment,
                                       .own_group = true});
  delay_ = RunDelay(process_);
  living().processes.push_back(process_);
}

void WorkerChild::kill() noexcept {
  if (!is_known()) return;
  ::kill(-process_, SIGKILL);  // including its children, such as compilers
  ::kill(process_, SIGKILL);
  wait_for(process_);
  end_orphans();
}

void WorkerChild::kill_for(std::string reason) noexcept {
  end_.clear();
  kill();
  end_ = std::move(reason) + end_;
}

bool WorkerChild::has_exited() const noexcept {
  siginfo_t ended{};
  const int outcome =
      ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return outcome == 0 ? ended.si_pid != 0 : errno != EINTR;
}

void WorkerChild::reap() {
  if (!is_known()) return;
  bool lost = false;
  for (Patience patience(kLingerSeconds); !has_exited(); patience.tick()) {
    if (!lost && is_over(patience)) {
      lost = true;
      ::kill(process_, SIGKILL);
    }
    ::usleep(5000);
  }
  ::kill(-process_,
         SIGKILL);  // its children; the group ID is valid until it is waited for
  const int status = wait_for(process_);
  if (WIFEXITED(status) && WEXITSTATUS(status) == Channel::kLostExitCode) lost = true;
  was_refused_ = is_refusal(status);
  end_ = lost ? "it closed its channel to the supervisor (descriptor 3)"
              : describe_wait_status(status);
  was_killed_by_others_ = !lost && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  end_orphans();
}

/// Ends processes that left the worker's group and are now children of this process. The worker's
/// own end is known.
void WorkerChild::end_orphans() noexcept {
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

WorkerChild::Stop WorkerChild::stop() const {
  std::ifstream file(fmt::format("/proc/{}/stat", process_));
  std::string text;
  std::getline(file, text);
  const std::size_t state = text.rfind(')') + 2;
  if (text.size() <= state) return Stop::kNone;
  return text[state] == 'T'   ? Stop::kBySignal
         : text[state] == 't' ? Stop::kByDebugger
                              : Stop::kNone;
}

void WorkerChild::resume() noexcept { ::kill(-process_, SIGCONT); }

bool WorkerChild::is_over(Patience& patience) {
  if (patience.is_over() || patience.uncredited() >= Patience::kSlice)
    patience.credit(delay_.take());
  return patience.is_over();
}

}  // namespace kernelbatch
