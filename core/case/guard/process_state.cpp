#include "core/case/guard/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <charconv>
#include <clocale>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "core/base/file.hpp"
#include "core/base/text.hpp"

extern char** environ;

namespace kernelbatch {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr std::array<std::string_view, RLIM_NLIMITS> kLimitNames{
    "RLIMIT_CPU",      "RLIMIT_FSIZE", "RLIMIT_DATA",   "RLIMIT_STACK",
    "RLIMIT_CORE",     "RLIMIT_RSS",   "RLIMIT_NPROC",  "RLIMIT_NOFILE",
    "RLIMIT_MEMLOCK",  "RLIMIT_AS",    "RLIMIT_LOCKS",  "RLIMIT_SIGPENDING",
    "RLIMIT_MSGQUEUE", "RLIMIT_NICE",  "RLIMIT_RTPRIO", "RLIMIT_RTTIME"};

/// Variables that, when set, affect later variants, compilers or libraries. All others are assumed
/// to be a library's internal state.
constexpr std::array<std::string_view, 22> kWatched{
    "KERNELBATCH_", "LD_",           "LC_",          "LANG",         "OMP_",        "GOMP_",
    "CUDA_VISIBLE", "CUDA_HOME",     "CUDA_PATH",    "CUDA_LAUNCH",  "CUDA_MODULE", "CXX",
    "NVCC",         "PATH",          "TMPDIR",       "HOME",         "XDG_CACHE",   "GCC_EXEC",
    "CPATH",        "CPLUS_INCLUDE", "LIBRARY_PATH", "COMPILER_PATH"};

bool is_watched(std::string_view name) {
  return std::ranges::any_of(kWatched,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string_view value_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view{} : line.substr(at);
}

std::uint64_t number_of(const Texts& status, const char* name, int base) {
  const auto found = status.find(name);
  std::uint64_t number = 0;
  if (found != status.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number,
                    base);
  return number;
}

unsigned floating_control() noexcept {
#if defined(__x86_64__)
  // All bits except the exception status flags.
  return _mm_getcsr() & ~0x3fu;
#else
  return 0;
#endif
}

unsigned running_timers() noexcept {
  unsigned running = 0;
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval timer{};
    if (::getitimer(which, &timer) == 0 &&
        (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0))
      running |= 1u << static_cast<unsigned>(which);
  }
  return running;
}

/// The host device keeps one descriptor for each loaded kernel.
bool is_loaded_kernel(int descriptor) {
  char target[64];
  const ssize_t count =
      ::readlink(fmt::format("/proc/self/fd/{}", descriptor).c_str(), target, sizeof target);
  return count > 0 && std::string_view(target, static_cast<std::size_t>(count))
                          .starts_with("/memfd:kernelbatch-kernel");
}

std::string limit_text(rlim_t value) {
  return value == RLIM_INFINITY ? "unlimited" : fmt::format("{}", value);
}

void append(std::string& to, std::string text) { to += (to.empty() ? "" : ", ") + std::move(text); }

void compare_limits(const ResourceLimits& before, const ResourceLimits& after, ProcessDelta& left) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    const rlimit &was = before[k], &is = after[k];
    if (is.rlim_cur < was.rlim_cur || is.rlim_max < was.rlim_max)
      append(left.fatal, fmt::format("lowered the limit {} to {}", kLimitNames[k],
                                     limit_text(std::min(is.rlim_cur, is.rlim_max))));
    else if (is.rlim_cur != was.rlim_cur)
      append(left.recoverable, fmt::format("raised {}", kLimitNames[k]));
  }
}

std::optional<OpenDescriptors> read_descriptors() {
  DIR* const table = ::opendir("/proc/self/fd");
  if (table == nullptr) return std::nullopt;
  const std::unique_ptr<DIR, int (*)(DIR*)> closed(table, ::closedir);
  OpenDescriptors open;
  while (const dirent* entry = ::readdir(table)) {
    int number = -1;
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, number).ptr != end || number == ::dirfd(table))
      continue;
    struct stat status {};
    if (::fstat(number, &status) == 0) open[number] = {status.st_dev, status.st_ino};
  }
  return open;
}

void compare_descriptors(const OpenDescriptors& before, const OpenDescriptors& after,
                         ProcessDelta& left) {
  std::vector<int> opened;
  std::size_t closed = 0;
  for (const auto& [number, what] : after)
    if (!before.contains(number)) opened.push_back(number);
  if (opened.size() > ProcessState::kLeak) std::erase_if(opened, is_loaded_kernel);
  for (const auto& [number, what] : before) {
    const auto now = after.find(number);
    if (now != after.end() && now->second == what) continue;
    // The worker's own: its input, its output, its channel.
    if (number <= 3)
      append(left.fatal,
             fmt::format("{} descriptor {}", now == after.end() ? "closed" : "replaced", number));
    else if (now == after.end())
      ++closed;
  }
  if (opened.size() > ProcessState::kLeak)
    append(left.fatal, fmt::format("left {} descriptors open", opened.size()));
  if (closed > ProcessState::kLeak)
    append(left.recoverable, fmt::format("closed {} descriptors", closed));
}

void compare_variables(const Texts& before, const Texts& after, ProcessDelta& left) {
  for (const auto& [name, value] : before) {
    const auto now = after.find(name);
    if (now == after.end() || now->second != value)
      append(left.recoverable, fmt::format("changed the variable {}", name));
  }
  for (const auto& [name, value] : after)
    if (!before.contains(name) && is_watched(name))
      append(left.recoverable, fmt::format("set the variable {}", name));
}

void compare_status(const Texts& before, const Texts& after, ProcessDelta& left) {
  const auto was = [&](const char* name) { return number_of(before, name, 16); };
  const auto is = [&](const char* name) { return number_of(after, name, 16); };
  // Added handlers only serve the library that adds them.
  if (was("SigBlk") != is("SigBlk") || was("SigIgn") != is("SigIgn") ||
      (was("SigCgt") & ~is("SigCgt")) != 0)
    append(left.recoverable, "changed what signals do");
  if (before.at("Umask") != after.at("Umask")) append(left.recoverable, "changed the umask");
  const std::uint64_t threads_before = number_of(before, "Threads", 10),
                      threads = number_of(after, "Threads", 10);
  if (threads > threads_before + ProcessState::kThreads)
    append(left.recoverable, fmt::format("left {} threads", threads - threads_before));
}

Texts read_environment() {
  Texts variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view line = *each;
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return variables;
}

/// Lines of /proc/self/status.
Texts read_status() {
  Texts lines;
  const FileDescriptor file{::open("/proc/self/status", O_RDONLY | O_CLOEXEC)};
  if (!file) return lines;
  char text[8192];
  const ssize_t count = ::read(file.get(), text, sizeof text);
  for (const std::string& line :
       split(std::string_view(text, count > 0 ? static_cast<std::size_t>(count) : 0), '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    if (name == "Umask" || name == "SigBlk" || name == "SigIgn" || name == "SigCgt" ||
        name == "Threads")
      lines[name] = value_of(std::string_view(line).substr(colon + 1));
  }
  return lines;
}

std::vector<ChildProcess> running_children() {
  // Children are reparented before their parent shows as ended, so repeating the scan finds those
  // that were skipped as another process's.
  std::vector<ChildProcess> children = child_processes();
  for (std::size_t known = 0; known < children.size();) {
    known = children.size();
    if (std::ranges::any_of(children, &ChildProcess::has_ended)) children = child_processes();
  }
  std::erase_if(children, [](const ChildProcess& child) { return child.has_ended; });
  return children;
}

}  // namespace

ProcessState ProcessState::now() {
  ProcessState state;
  // First read what needs no descriptor.
  for (std::size_t k = 0; k < state.limits_.size(); ++k)
    ::getrlimit(static_cast<__rlimit_resource>(k), &state.limits_[k]);
  state.rounding_ = std::fegetround();
  state.control_ = floating_control();
  state.timers_ = running_timers();
  state.priority_ = ::getpriority(PRIO_PROCESS, 0);
  if (const char* locale = std::setlocale(LC_ALL, nullptr)) state.locale_ = locale;
  state.environment_ = read_environment();
  char folder[4096];
  if (::getcwd(folder, sizeof folder) != nullptr) state.folder_ = folder;
  state.descriptors_ = read_descriptors();
  state.status_ = read_status();
  state.children_ = running_children();
  return state;
}

ProcessDelta ProcessState::difference(const ProcessState& before, const ProcessState& after) {
  ProcessDelta left;
  compare_limits(before.limits_, after.limits_, left);
  // A process may change its name.
  for (const ChildProcess& child : after.children_)
    if (std::ranges::find(before.children_, child.process, &ChildProcess::process) ==
        before.children_.end())
      append(left.fatal,
             fmt::format("left the process {} ({}) running", child.name, child.process));
  if (before.descriptors_ && after.descriptors_)
    compare_descriptors(*before.descriptors_, *after.descriptors_, left);
  else if (before.descriptors_)
    append(left.fatal, "left no descriptor free");
  if (before.folder_ != after.folder_) append(left.recoverable, "changed the current folder");
  if (before.locale_ != after.locale_) append(left.recoverable, "changed the locale");
  compare_variables(before.environment_, after.environment_, left);
  if (!before.status_.empty() && !after.status_.empty())
    compare_status(before.status_, after.status_, left);
  if (before.rounding_ != after.rounding_ || before.control_ != after.control_)
    append(left.recoverable, "changed how numbers are rounded");
  if ((after.timers_ & ~before.timers_) != 0) append(left.recoverable, "left a timer running");
  if (before.priority_ != after.priority_) append(left.recoverable, "changed its priority");
  return left;
}

}  // namespace kernelbatch
