#include "core/base/confined.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/run_delay.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

using Clock = std::chrono::steady_clock;

/// First byte of the child's answer: the type of the rest.
enum class Answer : char { kText = 't', kSpecError = 's', kError = 'e' };

constexpr double kWaitedPerProcessorSecond = 4;
constexpr std::chrono::milliseconds kShortestWait{1};  ///< for a core, that extends a limit

void set_limit(__rlimit_resource resource, std::uint64_t value) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
  ::setrlimit(resource, &limit);
}

[[maybe_unused]] std::uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void confine(const ConfinedLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGTERM, SIGINT})
    std::signal(signal, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.seconds)));
#if !defined(KERNELBATCH_ASAN) && !defined(KERNELBATCH_TSAN)
  // A sanitizer's shadow memory reserves terabytes of address space.
  if (const std::uint64_t now = address_space(); now > 0)
    set_limit(RLIMIT_AS, now + limits.memory_bytes);
#endif
}

bool send_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

[[noreturn]] void answer(int descriptor, Answer kind, std::string_view text) {
  const char letter = static_cast<char>(kind);
  const bool is_sent =
      send_all(descriptor, &letter, 1) && send_all(descriptor, text.data(), text.size());
  // Destructors of the parent's objects must not run twice.
  ::_exit(is_sent ? 0 : 1);
}

[[noreturn]] void be_child(int descriptor, const std::function<std::string()>& work,
                           const ConfinedLimits& limits) {
  try {
    confine(limits);
    answer(descriptor, Answer::kText, work());
  } catch (const SpecError& error) {
    answer(descriptor, Answer::kSpecError, error.what());
  } catch (const std::bad_alloc&) {
    answer(descriptor, Answer::kError, "it needs more memory than it may have");
  } catch (const std::exception& error) {
    answer(descriptor, Answer::kError, error.what());
  } catch (...) {
    answer(descriptor, Answer::kError, "an exception of unknown type");
  }
}

/// Reads the child's answer until it closes its end; false on a timeout. Time in which the child
/// waits for a core does not count.
bool receive(int descriptor, pid_t child, Clock::time_point deadline, std::string& text) {
  RunDelay delay(child);
  std::string buffer(std::size_t{1} << 16, '\0');
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      const std::chrono::duration<double> waited(delay.take());
      if (waited < kShortestWait) return false;
      deadline += std::chrono::duration_cast<Clock::duration>(waited);
      continue;
    }
    pollfd polled{descriptor, POLLIN, 0};
    if (::poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30))) < 1)
      continue;
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, 0, static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string run_confined(const std::function<std::string()>& work, const ConfinedLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw StoreError(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  FileDescriptor ours{ends[0]};
  FileDescriptor theirs{ends[1]};
  const pid_t child = ::fork();
  if (child < 0)
    throw StoreError(fmt::format("cannot start a process to read it in: {}", std::strerror(errno)));
  if (child == 0) be_child(theirs.get(), work, limits);
  theirs.reset();
  std::string said;
  const auto wait = std::chrono::duration<double>(kWaitedPerProcessorSecond * limits.seconds);
  const bool has_ended = receive(
      ours.get(), child, Clock::now() + std::chrono::duration_cast<Clock::duration>(wait), said);
  if (!has_ended) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended)
    throw StoreError(fmt::format("reading it does not end within {:.4g} s", wait.count()));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw StoreError(
        fmt::format("reading it does not end within {:.4g} s of processor time", limits.seconds));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || said.empty())
    throw StoreError(
        fmt::format("the process that read it ended with {}", describe_wait_status(status)));
  const auto kind = static_cast<Answer>(said.front());
  said.erase(0, 1);
  if (kind == Answer::kSpecError) throw SpecError(said);
  if (kind == Answer::kError) throw StoreError(said);
  return said;
}

}  // namespace kernelbatch
