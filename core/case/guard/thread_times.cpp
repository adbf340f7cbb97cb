#include "core/case/guard/thread_times.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "core/base/clock.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// A thread that wakes up occasionally is not busy; nor is one whose two readings are just before
/// and after a tick.
constexpr double kBusyShare = 0.05;
constexpr double kBusyTicks = 2;
/// Maximum interval in seconds between two wake-ups of a polling thread.
constexpr double kPollInterval = 5e-3;

/// How often a thread was scheduled: the third number of /proc/self/task/<thread>/schedstat.
std::int64_t turns_of(pid_t thread) {
  const FileDescriptor file{
      ::open(fmt::format("/proc/self/task/{}/schedstat", thread).c_str(), O_RDONLY | O_CLOEXEC)};
  char buffer[128];
  const ssize_t count = file ? ::read(file.get(), buffer, sizeof buffer) : 0;
  if (count <= 0) return 0;
  const std::vector<std::string> numbers =
      split(trim(std::string_view(buffer, static_cast<std::size_t>(count))), ' ');
  std::int64_t turns = 0;
  if (numbers.size() == 3)
    std::from_chars(numbers[2].data(), numbers[2].data() + numbers[2].size(), turns);
  return turns;
}

/// Parses /proc/self/task/<thread>/stat, see proc(5).
std::optional<ThreadTime> read_thread(pid_t thread, double tick_s) {
  const FileDescriptor file{
      ::open(fmt::format("/proc/self/task/{}/stat", thread).c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return std::nullopt;
  char buffer[1024];
  const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
  if (count <= 0) return std::nullopt;
  const std::string_view text(buffer, static_cast<std::size_t>(count));
  // The name may contain any characters, including parentheses and spaces.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  // The third field is the first after the name.
  const std::vector<std::string> fields = split(trim(text.substr(close + 1)), ' ');
  constexpr std::size_t kUser = 14 - 3, kSystem = 15 - 3, kStart = 22 - 3;
  if (fields.size() <= kStart) return std::nullopt;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::from_chars(fields[at].data(), fields[at].data() + fields[at].size(), value);
    return value;
  };
  return ThreadTime{thread,
                    std::string(text.substr(open + 1, close - open - 1)),
                    number(kStart),
                    tick_s * static_cast<double>(number(kUser) + number(kSystem)),
                    fields.front() == "R",
                    turns_of(thread)};
}

double tick_seconds() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? 1.0 / static_cast<double>(ticks) : 0.01;
}

}  // namespace

ThreadTimes ThreadTimes::now() {
  ThreadTimes times;
  times.at_s_ = system_seconds();
  const double tick_s = tick_seconds();
  DIR* const table = ::opendir("/proc/self/task");
  if (table == nullptr) return times;
  const std::unique_ptr<DIR, int (*)(DIR*)> closed(table, ::closedir);
  while (const dirent* entry = ::readdir(table)) {
    pid_t thread = 0;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, thread).ptr != end || thread <= 0) continue;
    if (auto found = read_thread(thread, tick_s)) times.threads_.push_back(std::move(*found));
  }
  return times;
}

const ThreadTime* ThreadTimes::find(const ThreadTime& thread) const {
  const auto found = std::ranges::find_if(threads_, [&](const ThreadTime& each) {
    return each.thread == thread.thread && each.start == thread.start;
  });
  return found == threads_.end() ? nullptr : &*found;
}

std::string ThreadTimes::busy(const ThreadTimes& known, const ThreadTimes& first,
                              const ThreadTimes& second) {
  const double elapsed = second.at_s_ - first.at_s_;
  const double least = std::max(kBusyShare * elapsed, (kBusyTicks - 0.5) * tick_seconds());
  std::string text;
  for (const ThreadTime& thread : second.threads_) {
    if (known.find(thread) != nullptr) continue;
    const ThreadTime* const before = first.find(thread);
    const double used = thread.cpu_s - (before != nullptr ? before->cpu_s : 0);
    if (used < least) continue;
    text += fmt::format(
        "{}left the thread '{}' ({}) running: it used {:.0f} ms of CPU time in "
        "{:.0f} ms",
        text.empty() ? "" : ", ", visible_line(thread.name), thread.thread, 1e3 * used,
        1e3 * elapsed);
  }
  return text;
}

std::string ThreadTimes::often_awake(const ThreadTimes& known, const ThreadTimes& first,
                                     const ThreadTimes& second) {
  const double elapsed = second.at_s_ - first.at_s_;
  std::string text;
  for (const ThreadTime& thread : second.threads_) {
    const ThreadTime* const before = first.find(thread);
    if (known.find(thread) != nullptr || before == nullptr || before->turns == 0) continue;
    const std::int64_t turns = thread.turns - before->turns;
    if (static_cast<double>(turns) * kPollInterval < elapsed) continue;
    text += fmt::format("{}left the thread '{}' ({}) running: it woke up {} times in {:.0f} ms",
                        text.empty() ? "" : ", ", visible_line(thread.name), thread.thread, turns,
                        1e3 * elapsed);
  }
  return text;
}

std::string ThreadTimes::never_waiting(const ThreadTimes& known,
                                       std::span<const ThreadTimes> looks) {
  std::string text;
  if (looks.empty()) return text;
  for (const ThreadTime& thread : looks.front().threads_) {
    if (known.find(thread) != nullptr) continue;
    const bool never_waits = std::ranges::all_of(looks, [&](const ThreadTimes& look) {
      const ThreadTime* const found = look.find(thread);
      return found != nullptr && found->is_runnable;
    });
    if (!never_waits) continue;
    text += fmt::format("{}left the thread '{}' ({}) running: it never waited in {:.0f} ms",
                        text.empty() ? "" : ", ", visible_line(thread.name), thread.thread,
                        1e3 * (looks.back().at_s_ - looks.front().at_s_));
  }
  return text;
}

}  // namespace kernelbatch
