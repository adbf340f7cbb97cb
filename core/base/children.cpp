#include "core/base/children.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

bool has_children() noexcept {
  siginfo_t info{};
  const int outcome = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
  return outcome == 0 || errno != ECHILD;
}

bool contains(std::span<const pid_t> list, pid_t process) {
  return std::ranges::find(list, process) != list.end();
}

/// Calls `visit` with each entry of a folder whose name is a number.
template <class Visit>
void each_number(const char* folder, const Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t number = 0;
    const char* const last = name.data() + name.size();
    if (std::from_chars(name.data(), last, number).ptr == last) visit(number);
  }
}

/// Children of this process's threads, as the kernel lists them.
std::vector<pid_t> listed_children() {
  std::vector<pid_t> processes;
  each_number("/proc/self/task", [&](pid_t thread) {
    std::ifstream file(fmt::format("/proc/self/task/{}/children", thread));
    for (pid_t process = 0; file >> process;) processes.push_back(process);
  });
  return processes;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> processes;
  each_number("/proc", [&](pid_t process) { processes.push_back(process); });
  return processes;
}

/// Nothing if the process is not a child of this one.
std::optional<ChildProcess> own_child(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  // "4711 (a name) S 42 …": the name may contain any characters.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = split(text.substr(std::min(close + 2, text.size())), ' ');
  if (fields.size() < 3 || fields[1] != fmt::format("{}", ::getpid())) return std::nullopt;
  return ChildProcess{process, std::atoi(fields[2].c_str()),
                      text.substr(open + 1, close - open - 1), fields[0] == "Z"};
}

}  // namespace

void adopt_orphans() noexcept { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<ChildProcess> child_processes(std::span<const pid_t> except) {
  std::vector<ChildProcess> found;
  if (!has_children()) return found;
  std::vector<pid_t> processes = listed_children();
  // Kernels without these lists, or a list that changed while it was read.
  if (processes.empty()) processes = all_processes();
  for (const pid_t process : processes)
    if (!contains(except, process))
      if (auto child = own_child(process)) found.push_back(std::move(*child));
  return found;
}

std::vector<std::string> end_children(std::span<const pid_t> except, pid_t killed) {
  std::vector<std::string> names;
  // The children of an ended child become children of this process; they are handled next. The loop
  // is bounded, since a process may fork faster than it is found.
  for (int rounds = 0; rounds < 100; ++rounds) {
    const std::vector<ChildProcess> children = child_processes(except);
    if (children.empty()) break;
    for (const ChildProcess& child : children) {
      if (!child.has_ended) {
        if (names.size() < 20 && (killed == 0 || child.group != killed))
          names.push_back(fmt::format("{} ({})", child.name, child.process));
        ::kill(child.process, SIGKILL);
      }
      while (::waitpid(child.process, nullptr, __WALL) < 0 && errno == EINTR) {
      }
    }
  }
  return names;
}

}  // namespace kernelbatch
