#include "core/base/sandbox/calls.hpp"

#include <unistd.h>

#include <csignal>
#include <string>

#include "core/base/error.hpp"
#include "core/base/sandbox/sandbox.hpp"

#ifdef KERNELBATCH_HAS_SECCOMP
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>
#endif

namespace kernelbatch {

#ifndef KERNELBATCH_HAS_SECCOMP

bool has_call_filter() noexcept { return false; }
void refuse_calls(bool) {}

#else

namespace {

/// System calls with the same purpose.
struct RefusedGroup {
  std::string_view action;  ///< after "the kernel tried to"
  std::vector<const char*> calls;
};

const std::vector<RefusedGroup> kGroups{
    {"start a program", {"execve", "execveat"}},
    {"start a process", {"fork", "vfork"}},
    {"use the network", {"connect", "bind", "listen", "accept", "accept4"}},
    {"inspect another process",
     {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise"}},
    {"send a signal to another process",
     {"tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal"}},
    {"share memory with another process",
     {"shmget", "shmat", "msgget", "msgsnd", "msgrcv", "semget", "semop", "mq_open"}},
    {"change the system",
     {"mount",      "umount2",      "pivot_root",    "chroot",      "setns",        "unshare",
      "reboot",     "swapon",       "swapoff",       "init_module", "finit_module", "delete_module",
      "kexec_load", "settimeofday", "clock_settime", "sethostname", "acct",         "quotactl",
      "iopl",       "ioperm",       "modify_ldt",    "open_tree",   "move_mount",   "fsopen",
      "fsmount",    "setuid",       "setgid",        "setresuid",   "setresgid",    "setgroups"}},
    {"use a part of the system that kernels do not need",
     {"io_uring_setup", "io_uring_enter", "bpf", "perf_event_open", "userfaultfd", "keyctl",
      "add_key", "request_key", "open_by_handle_at", "name_to_handle_at", "fanotify_init"}}};

/// Refused with an error, since libraries call them and continue without.
constexpr std::array kDenied{"chmod",       "fchmod",    "fchmodat", "chown",     "fchown",
                             "lchown",      "fchownat",  "setxattr", "lsetxattr", "fsetxattr",
                             "removexattr", "utimensat", "utime",    "utimes",    "setpriority"};

/// Without Landlock.
const RefusedGroup kWriting{
    "change a file",
    {"creat", "truncate", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir",
     "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat"}};

constexpr std::size_t kCalls = 512;
/// Texts of refused calls by their numbers, for a signal handler.
std::array<std::string, kCalls> refused_texts;

void on_refused_call(int, siginfo_t* info, void*) {
  const auto call = static_cast<std::size_t>(info->si_syscall);
  if (call < kCalls) {
    const std::string& text = refused_texts[call];
    [[maybe_unused]] const ssize_t written = ::write(1, text.data(), text.size());
  }
  ::_exit(kRefusedExitCode);
}

class CallFilter {
 public:
  CallFilter() : filter_(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release) {
    if (!filter_) throw EnvironmentError("cannot confine the worker: libseccomp fails");
    require(::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  }

  /// If all conditions hold. A call that this system does not have is left out.
  void refuse(std::string_view action, const char* call, std::vector<scmp_arg_cmp> conditions) {
    const int number = ::seccomp_syscall_resolve_name(call);
    if (number < 0) return;
    if (static_cast<std::size_t>(number) < kCalls)
      refused_texts[static_cast<std::size_t>(number)] = std::string(kRefusalMark) +
                                                        std::string(action) + " (" + call + ")" +
                                                        std::string(kRefusalEnd);
    add(SCMP_ACT_TRAP, number, conditions);
  }
  void refuse(const RefusedGroup& group) {
    for (const char* call : group.calls) refuse(group.action, call, {});
  }
  void fail(const char* call, int error, std::vector<scmp_arg_cmp> conditions = {}) {
    const int number = ::seccomp_syscall_resolve_name(call);
    if (number >= 0) add(SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), number, conditions);
  }
  void load() { require(::seccomp_load(filter_.get())); }

 private:
  static void require(int result) {
    if (result < 0)
      throw EnvironmentError(std::string("cannot confine the worker: seccomp: ") +
                             std::strerror(-result) +
                             "; --no-sandbox runs kernels without a sandbox");
  }
  void add(std::uint32_t action, int number, const std::vector<scmp_arg_cmp>& conditions) {
    require(::seccomp_rule_add_array(filter_.get(), action, number,
                                     static_cast<unsigned>(conditions.size()), conditions.data()));
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
};

scmp_arg_cmp differs(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}
scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp has_bits(unsigned argument, std::uint64_t mask, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, bits};
}

/// Files without a name may be written.
void refuse_writing(CallFilter& filter) {
  filter.refuse(kWriting);
  filter.fail("openat2", ENOSYS);
  for (const auto& [call, flags] : {std::pair{"open", 1U}, std::pair{"openat", 2U}}) {
    constexpr auto kUnnamed = static_cast<std::uint64_t>(O_TMPFILE & ~O_DIRECTORY);
    for (const int flag : {O_WRONLY, O_RDWR, O_CREAT, O_TRUNC}) {
      const auto writes = static_cast<std::uint64_t>(flag);
      filter.refuse(kWriting.action, call, {has_bits(flags, writes | kUnnamed, writes)});
    }
  }
}

void handle_refusals() {
  struct sigaction action {};
  action.sa_sigaction = on_refused_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSYS, &action, nullptr);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, SIGSYS);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace

bool has_call_filter() noexcept { return true; }

void refuse_calls(bool refuses_writing) {
  CallFilter filter;
  for (const RefusedGroup& group : kGroups) filter.refuse(group);
  const auto self = static_cast<std::uint64_t>(::getpid());
  filter.refuse("send a signal to another process", "kill", {differs(0, self)});
  filter.refuse("send a signal to another process", "tgkill", {differs(0, self)});
  // Threads only. The C library uses clone if there is no clone3, whose flags are in memory.
  filter.refuse("start a process", "clone", {has_bits(0, CLONE_THREAD, 0)});
  filter.fail("clone3", ENOSYS);
  // User databases connect to local sockets, and do without.
  filter.refuse("use the network", "socket", {differs(0, AF_UNIX)});
  filter.fail("socket", EACCES, {equals(0, AF_UNIX)});
  filter.fail("rt_sigaction", EPERM, {equals(0, SIGSYS), differs(1, 0)});
  for (const char* call : kDenied) filter.fail(call, EPERM);
  if (refuses_writing) refuse_writing(filter);
  handle_refusals();
  filter.load();
}

#endif

}  // namespace kernelbatch
