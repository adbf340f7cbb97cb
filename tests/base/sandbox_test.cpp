// The sandbox: what a confined process can do, and what is refused.
#include "core/base/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/base/process.hpp"
#include "core/base/sandbox/calls.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

struct Ended {
  int status = 0;
  std::string output;
};

/// Runs `work` in a confined child; its result is the exit code.
Ended confined(const SandboxFiles& files, const std::function<int()>& work) {
  Pipe pipe = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe.write_end.get(), 1);
    enter_sandbox(files);
    ::_exit(work());
  }
  pipe.write_end.reset();
  Ended ended;
  char buffer[4096];
  for (ssize_t count; (count = ::read(pipe.read_end.get(), buffer, sizeof buffer)) > 0;)
    ended.output.append(buffer, static_cast<std::size_t>(count));
  ::waitpid(child, &ended.status, 0);
  return ended;
}

/// The action in a refused process's output.
std::string refusal_of(const std::function<int()>& work) {
  const Ended ended = confined({}, work);
  if (!is_refusal(ended.status)) return describe_wait_status(ended.status);
  const std::string& text = ended.output;
  if (text.empty()) return std::string(kUnprintedRefusal);
  return text.substr(kRefusalMark.size(), text.size() - kRefusalMark.size() - kRefusalEnd.size());
}

int exit_code(const SandboxFiles& files, const std::function<int()>& work) {
  const Ended ended = confined(files, work);
  INFO(ended.output << describe_wait_status(ended.status));
  REQUIRE(WIFEXITED(ended.status));
  return WEXITSTATUS(ended.status);
}

/// 0, or the error of opening a file.
int error_of_open(const std::filesystem::path& path, int flags) {
  return ::open(path.c_str(), flags | O_CLOEXEC, 0600) >= 0 ? 0 : errno;
}

TEST_CASE("Refused system calls are named") {
  if (!has_call_filter()) return;
  const pid_t parent = ::getpid();
  CHECK(refusal_of([] { return ::execl("/bin/true", "true", nullptr); }) ==
        "start a program (execve)");
  CHECK(refusal_of([] { return static_cast<int>(::fork()); }) == "start a process (clone)");
  // The C library blocks signals while it starts a program.
  CHECK(refusal_of([] { return std::system("true"); }) == kUnprintedRefusal);
  CHECK(refusal_of([] { return ::socket(AF_INET, SOCK_STREAM, 0); }) == "use the network (socket)");
  CHECK(refusal_of([=] { return ::kill(parent, SIGKILL); }) ==
        "send a signal to another process (kill)");
  CHECK(refusal_of([=] { return ::kill(-1, SIGKILL); }) ==
        "send a signal to another process (kill)");
  CHECK(refusal_of([=] { return static_cast<int>(::ptrace(PTRACE_ATTACH, parent, 0, 0)); }) ==
        "inspect another process (ptrace)");
  CHECK(refusal_of([=] {
          return static_cast<int>(::process_vm_readv(parent, nullptr, 0, nullptr, 0, 0));
        }) == "inspect another process (process_vm_readv)");
  CHECK(refusal_of([] { return static_cast<int>(::syscall(SYS_io_uring_setup, 1, nullptr)); }) ==
        "use a part of the system that kernels do not need (io_uring_setup)");
}

TEST_CASE("A refusal cannot be ignored, and local sockets have an error") {
  if (!has_call_filter()) return;
  CHECK(exit_code({}, [] {
          std::signal(SIGSYS, SIG_IGN);
          return ::socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EACCES ? 0 : 1;
        }) == 0);
  CHECK(refusal_of([] {
          std::signal(SIGSYS, SIG_IGN);
          return ::execl("/bin/true", "true", nullptr);
        }) == "start a program (execve)");
}

TEST_CASE("Threads, memory and printing are allowed") {
  CHECK(exit_code({}, [] {
          int value = 1;
          std::thread([&] { value = 0; }).join();
          const int memory = ::memfd_create("test", MFD_CLOEXEC);
          return memory >= 0 && ::write(memory, "x", 1) == 1 && ::write(1, "x", 1) == 1 ? value : 2;
        }) == 0);
  CHECK(exit_code({}, [] { return error_of_open("/proc/self/status", O_RDONLY); }) == 0);
  CHECK(exit_code({}, [] { return ::kill(::getpid(), 0); }) == 0);
}

TEST_CASE("Only the files of the rules can be opened") {
  for (const std::string& part : missing_sandbox_parts())
    if (part.find("Landlock") != std::string::npos) return;
  const test::TemporaryFolder folder;
  for (const char* name : {"input", "output", "answer"})
    REQUIRE(error_of_open(folder / name, O_CREAT | O_WRONLY) == 0);
  const SandboxFiles files{.readable = {folder / "input"}, .writable = {folder / "output"}};
  CHECK(exit_code(files, [&] { return error_of_open(folder / "input", O_RDONLY); }) == 0);
  CHECK(exit_code(files, [&] { return error_of_open(folder / "input", O_WRONLY); }) == EACCES);
  CHECK(exit_code(files, [&] { return error_of_open(folder / "output", O_RDWR); }) == 0);
  CHECK(exit_code(files, [&] { return error_of_open(folder / "answer", O_RDONLY); }) == EACCES);
  CHECK(exit_code(files, [&] { return error_of_open(folder / "other", O_CREAT | O_RDWR); }) ==
        EACCES);
  CHECK(exit_code(files, [&] { return ::unlink((folder / "answer").c_str()) == 0 ? 0 : errno; }) ==
        EACCES);
  CHECK(exit_code(files, [&] {
          return ::chmod((folder / "answer").c_str(), 0777) == 0 ? 0 : errno;
        }) == EPERM);
}

TEST_CASE("Without Landlock, files cannot be written") {
  if (!has_call_filter()) return;
  const test::TemporaryFolder folder;
  const auto written_by = [&](int flags) {
    Pipe pipe = make_pipe();
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(pipe.write_end.get(), 1);
      refuse_calls(true);
      ::_exit(error_of_open(folder / "file", flags));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK(written_by(O_RDONLY) == ENOENT);
  CHECK(written_by(O_WRONLY) == kRefusedExitCode);
  CHECK(written_by(O_RDWR | O_CREAT) == kRefusedExitCode);
}

}  // namespace
}  // namespace kernelbatch
