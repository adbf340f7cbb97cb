// Variants whose results are correct, but which leave their process, its files or its channel in a
// state that must not affect other variants.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <chrono>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/base/process.hpp"
#include "core/case/guard/channel.hpp"
#include "core/case/message.hpp"
#include "core/job/case_id.hpp"
#include "tests/plugins/faulty/faulty.hpp"

namespace faulty {
namespace {

using kernelbatch::Failed;
using kernelbatch::Phase;
using kernelbatch::PhaseChange;
using kernelbatch::Problem;
using kernelbatch::Reply;
using kernelbatch::Run;
using kernelbatch::Stream;
using kernelbatch::VariantKind;
using kernelbatch::Work;

constexpr int kChannel = 3;

/// A correct result; `harm` is done once, after the first run of the work.
template <void (*Harm)()>
Work after_work(const Problem&, Run& run) {
  return [was_done = false, work = good_work(run)](Stream& stream) mutable {
    work(&stream);
    if (!std::exchange(was_done, true)) Harm();
  };
}

void leak_descriptors() {
  while (::open("/dev/null", O_RDONLY) >= 0) {
  }
}
void close_channel() { ::close(kChannel); }
void replace_channel() {
  const int file = ::open("/dev/null", O_RDWR);
  ::dup2(file, kChannel);
  ::close(file);
}
void close_standard() {
  for (int k = 0; k < 3; ++k) ::close(k);
}
void close_all() {
  for (int k = 0; k < 1000; ++k) ::close(k);
}

template <__rlimit_resource Which, unsigned long To>
void lower_limit() {
  const rlimit limit{To, To};
  ::setrlimit(Which, &limit);
}

void change_folder() { [[maybe_unused]] const int failed = ::chdir("/"); }
void change_umask() { ::umask(0777); }
void unset_path() { ::unsetenv("PATH"); }
void set_compiler() { ::setenv("CXX", "/bin/false", 1); }
void change_locale() {
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) std::abort();
}
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
}
void ignore_children() { ::signal(SIGCHLD, SIG_IGN); }
void set_alarm() { ::alarm(1); }
void change_rounding() { std::fesetround(FE_UPWARD); }

/// Forks twice and starts a new session, so that the process has another parent and process group.
void leave_process() {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  for (int k = 0; k < 1000; ++k) ::close(k);
  ::execlp("sleep", "sleep", "317", nullptr);
  ::_exit(1);
}
void leave_process_and_abort() {
  leave_process();
  std::abort();
}

std::filesystem::path shards() {
  return kernelbatch::environment("FAULTY_SHARDS").value_or("/nowhere");
}
void remove_lock() { std::filesystem::remove(shards() / "0" / ".run.lock"); }
void replace_lock() {
  remove_lock();
  std::ofstream(shards() / "0" / ".run.lock") << "mine";
}
/// Stops the supervisor for a moment, so that it does not notice what happens next.
void stop_supervisor() {
  const pid_t supervisor = ::getppid();
  std::thread([supervisor] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ::kill(supervisor, SIGCONT);
  }).detach();
  ::kill(supervisor, SIGSTOP);
}
void remove_outputs() {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shards()))
    if (entry.path().extension() == ".raw" || entry.path().extension() == ".tmp")
      std::filesystem::remove(entry.path());
}
void remove_folder() { std::filesystem::remove_all(shards()); }
void remove_temporary() { std::filesystem::remove_all(std::filesystem::temp_directory_path()); }
void remove_plugin() {
  if (const auto file = kernelbatch::environment("FAULTY_PLUGIN")) std::filesystem::remove(*file);
}

void stop_and_hang() {
  for (;;) ::pause();
}

void write_all(const void* bytes, std::size_t size) {
  for (const auto* at = static_cast<const char*>(bytes); size > 0;) {
    const ssize_t count = ::write(kChannel, at, size);
    if (count <= 0) return;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
}
/// The worker's own channel, which signs its messages. It is on the stack of this thread. A variant
/// that reads its worker's memory can find it, so the supervisor must not trust every signed
/// message.
kernelbatch::Channel& worker_channel() {
  struct stat socket {};
  ::fstat(kChannel, &socket);
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) std::abort();
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  const char* const end = static_cast<const char*>(lowest) + size;
  // It begins with its descriptor and the inode of its socket.
  const auto* at = static_cast<const char*>(__builtin_frame_address(0));
  for (; at + 2 * sizeof(ino_t) <= end; at += sizeof(ino_t)) {
    int descriptor = 0;
    ino_t inode = 0;
    std::memcpy(&descriptor, at, sizeof descriptor);
    std::memcpy(&inode, at + sizeof inode, sizeof inode);
    if (descriptor == kChannel && inode == socket.st_ino)
      return *reinterpret_cast<kernelbatch::Channel*>(const_cast<char*>(at));
  }
  std::abort();
}
void say(const std::string& text) { worker_channel().send(text); }
void say(kernelbatch::Reply reply) { say(kernelbatch::to_frame(reply)); }
kernelbatch::Result result_of(const std::string& case_id, const std::string& variant) {
  kernelbatch::Result result;
  result.record.case_id = case_id;
  result.record.variant = variant;
  return result;
}

/// Sends a frame without a signature.
void forge(Reply reply) {
  const std::string text = kernelbatch::to_frame(reply);
  const auto size = static_cast<std::uint64_t>(text.size());
  write_all(&size, sizeof size);
  write_all(text.data(), text.size());
}
/// Writes nothing to its output, reports success, and requests another worker for the other
/// variants.
Work forges_result(const Problem& problem, Run& run) {
  run.output("y");
  kernelbatch::Result result = result_of(
      kernelbatch::case_id("faulty", "1", {{"n", dynamic_cast<const Faulty&>(problem).n}}),
      "forges_result");
  result.record.status = kernelbatch::Status::kOk;
  result.record.verified = true;
  result.record.cold.median = 1e-9;
  result.record.cold.samples = 10;
  return [result = std::make_shared<kernelbatch::Result>(std::move(result))] {
    forge(std::move(*result));
    forge(kernelbatch::Renew{});
    stop_and_hang();
  };
}
/// By accident, like a library that prints to a descriptor that it assumes to be its own.
void write_to_channel() {
  const std::string line(100, '=');
  write_all(line.data(), line.size());
}

void say_enormous() {
  const std::uint64_t size = std::uint64_t{1} << 40;
  write_all(&size, sizeof size);
  const std::string some(1 << 20, 'x');
  for (int k = 0; k < 64; ++k) write_all(some.data(), some.size());
}
void say_garbage() { say(std::string("no message at all")); }
void say_wrong_choice() {
  std::string frame = kernelbatch::to_frame(Reply(PhaseChange{"", Phase::kRun, false}));
  frame[frame.size() - 2] = 100;
  say(frame);
}
void say_unasked() { say(kernelbatch::Opened{}); }
void say_other_result() { say(result_of("", "good_again")); }
void say_result_of_good() { say(result_of("x", "good")); }
void say_done() { say(kernelbatch::CaseDone{}); }
void say_no_device() {
  say(Failed{.cause = kernelbatch::FailureCause::kNoDevice,
             .phase = Phase::kRun,
             .reason = "there is no device"});
}
void say_full_disk() { say(Failed{.phase = Phase::kRun, .reason = "the disk is full"}); }
void say_outputs() {
  kernelbatch::Result result = result_of("", "says_outputs");
  result.outputs.push_back({"y", 1});
  say(std::move(result));
}
void say_half() {
  const std::uint64_t size = 1000;
  write_all(&size, sizeof size);
  write_all("half", 4);
  for (;;) ::pause();
}
void flood_channel() {
  for (;;) say(PhaseChange{"floods_channel", Phase::kRun, false});
}
/// Requests turns without waiting for them, until the supervisor's answers fill the channel.
void flood_turns() {
  for (;;) say(PhaseChange{"floods_turns", Phase::kRun, true});
}
void begin_again() {
  say(PhaseChange{"", Phase::kRun, false});
  for (;;) ::pause();
}
void flood_output() {
  const std::string line(4096, 'x');
  for (;;)
    if (::write(1, line.data(), line.size()) < 0) ::_exit(1);
}
void kill_itself() { ::kill(::getpid(), SIGKILL); }

}  // namespace

std::vector<kernelbatch::VariantDeclaration> hostile_variants() {
  const auto raw = [](std::string name, Work (*prepare)(const Problem&, Run&)) {
    return kernelbatch::VariantDeclaration{std::move(name), VariantKind::kRaw, "", prepare};
  };
  return {raw("leaks_descriptors", after_work<leak_descriptors>),
          raw("closes_channel", after_work<close_channel>),
          raw("replaces_channel", after_work<replace_channel>),
          raw("closes_standard", after_work<close_standard>),
          raw("closes_all", after_work<close_all>),
          raw("lowers_descriptors", after_work<lower_limit<RLIMIT_NOFILE, 4>>),
          raw("lowers_memory", after_work<lower_limit<RLIMIT_AS, 1 << 20>>),
          raw("lowers_file_size", after_work<lower_limit<RLIMIT_FSIZE, 0>>),
          raw("lowers_time", after_work<lower_limit<RLIMIT_CPU, 100>>),
          raw("changes_folder", after_work<change_folder>),
          raw("changes_umask", after_work<change_umask>),
          raw("unsets_path", after_work<unset_path>),
          raw("sets_compiler", after_work<set_compiler>),
          raw("changes_locale", after_work<change_locale>),
          raw("blocks_signals", after_work<block_signals>),
          raw("ignores_children", after_work<ignore_children>),
          raw("sets_alarm", after_work<set_alarm>),
          raw("changes_rounding", after_work<change_rounding>),
          raw("leaves_process", after_work<leave_process>),
          raw("leaves_process_and_aborts", after_work<leave_process_and_abort>),
          raw("removes_lock", after_work<remove_lock>),
          raw("replaces_lock", after_work<replace_lock>),
          raw("stops_supervisor", after_work<stop_supervisor>),
          raw("removes_outputs", after_work<remove_outputs>),
          raw("removes_folder", after_work<remove_folder>),
          raw("removes_temporary", after_work<remove_temporary>),
          raw("removes_plugin", after_work<remove_plugin>),
          raw("forges_result", forges_result),
          raw("writes_to_channel", after_work<write_to_channel>),
          raw("says_enormous", after_work<say_enormous>),
          raw("says_garbage", after_work<say_garbage>),
          raw("says_wrong_choice", after_work<say_wrong_choice>),
          raw("says_unasked", after_work<say_unasked>),
          raw("says_other_result", after_work<say_other_result>),
          raw("says_result_of_good", after_work<say_result_of_good>),
          raw("says_done", after_work<say_done>),
          raw("says_no_device", after_work<say_no_device>),
          raw("says_full_disk", after_work<say_full_disk>),
          raw("says_outputs", after_work<say_outputs>),
          raw("says_half", after_work<say_half>),
          raw("floods_channel", after_work<flood_channel>),
          raw("floods_turns", after_work<flood_turns>),
          raw("begins_again", after_work<begin_again>),
          raw("floods_output", after_work<flood_output>),
          raw("is_killed", after_work<kill_itself>),
          raw("waits_for_ever", after_work<stop_and_hang>)};
}

}  // namespace faulty
