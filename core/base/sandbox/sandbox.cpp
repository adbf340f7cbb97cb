#include "core/base/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/sandbox/calls.hpp"
#include "core/base/shared_library.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Landlock's interface up to its version 6 (linux/landlock.h of older systems ends earlier).
namespace landlock {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr std::uint64_t kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                        kFirstRights = (1 << 13) - 1, kRefer = 1 << 13, kTruncate = 1 << 14;
constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kTcp = 3, kScopes = 3;

struct Ruleset {
  std::uint64_t files, network, scopes;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t rights;
  std::int32_t folder;
};

int version() noexcept {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, 1U);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::uint64_t rights_of(int version) {
  return kFirstRights | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

}  // namespace landlock

std::atomic<bool> confined = false, hides = false;

[[noreturn]] void fail(const char* action) {
  throw EnvironmentError(std::string("cannot confine the worker: ") + action + ": " +
                         std::strerror(errno) + "; --no-sandbox runs kernels without a sandbox");
}

/// Folders of the system: libraries that are loaded later, time zones, the state of this process.
std::vector<std::filesystem::path> system_files() {
  std::vector<std::filesystem::path> files{"/usr",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/proc",
                                           "/sys",
                                           "/etc/ld.so.cache",
                                           "/etc/localtime",
                                           "/etc/os-release",
                                           "/etc/passwd",
                                           "/etc/nsswitch.conf",
                                           "/dev/urandom",
                                           "/dev/random",
                                           "/dev/zero"};
  for (const std::filesystem::path& folder : folders_of_loaded_libraries()) files.push_back(folder);
  return files;
}

void allow(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const FileDescriptor file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode))
    rights &= landlock::kReadFile | landlock::kWriteFile | landlock::kTruncate;
  const landlock::PathRule rule{rights, file.get()};
  if (::syscall(landlock::kAddRule, ruleset, 1, &rule, 0) != 0) fail("Landlock's rule");
}

void restrict_files(const SandboxFiles& files, int version) {
  landlock::Ruleset rules{landlock::rights_of(version), version >= 4 ? landlock::kTcp : 0,
                          version >= 6 ? landlock::kScopes : 0};
  const std::size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
  const FileDescriptor ruleset{
      static_cast<int>(::syscall(landlock::kCreateRuleset, &rules, size, 0U))};
  if (!ruleset) fail("Landlock's rules");
  const std::uint64_t reading = landlock::kReadFile | landlock::kReadFolder;
  for (const auto& path : system_files()) allow(ruleset.get(), path, reading);
  allow(ruleset.get(), "/dev/null", reading | landlock::kWriteFile);
  for (const auto& path : files.readable) allow(ruleset.get(), path, reading);
  for (const auto& path : files.writable)
    allow(ruleset.get(), path, rules.files & ~landlock::kExecute);
  if (::syscall(landlock::kRestrictSelf, ruleset.get(), 0U) != 0) fail("Landlock");
}

}  // namespace

bool is_sandbox_off() { return environment(kNoSandboxVariable).value_or("0") != "0"; }

bool is_refusal(int wait_status) noexcept {
  return (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kRefusedExitCode) ||
         (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGSYS);
}

bool is_confined() noexcept { return confined; }

void hide_memory() noexcept { hides = true; }

bool hides_memory() noexcept { return hides; }

void enter_sandbox(const SandboxFiles& files) {
  hide_memory();
  // If memory runs out, the system ends this process and not its supervisor.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  const int version = landlock::version();
  if (version > 0) restrict_files(files, version);
  if (has_call_filter()) refuse_calls(version == 0);
  confined = true;
}

std::vector<std::string> missing_sandbox_parts() {
  std::vector<std::string> missing;
  const int version = landlock::version();
  if (version == 0)
    missing.emplace_back(
        "no Landlock (Linux 5.13, enabled at boot): kernel texts on the host may read any file");
  else if (version < 3)
    missing.emplace_back("Landlock before Linux 6.2: kernel texts on the host may shorten files");
  if (!has_call_filter())
    missing.emplace_back(
        "built without libseccomp: kernel texts on the host may start programs and use the "
        "network");
  return missing;
}

}  // namespace kernelbatch
