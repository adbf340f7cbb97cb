// Threads of this process, as it sees them itself.
#include "core/case/thread_times.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A thread that works, or waits, until it is told to end.
class Thread {
 public:
  Thread(const char* name, bool is_busy)
      : is_busy_(is_busy), thread_([this, name, ended = end_.get_future()] {
          ::pthread_setname_np(::pthread_self(), name);
          id_ = ::gettid();
          while (!is_over_)
            if (!is_busy_) ended.wait();
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Thread() {
    is_over_ = true;
    end_.set_value();
  }
  pid_t id() const { return id_; }
  void rest() { is_busy_ = false; }
  double cpu_s() {
    clockid_t clock{};
    timespec used{};
    REQUIRE(::pthread_getcpuclockid(thread_.native_handle(), &clock) == 0);
    REQUIRE(::clock_gettime(clock, &used) == 0);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  /// Returns once it has used so much more.
  void work_for(double seconds) {
    for (const double until = cpu_s() + seconds; cpu_s() < until;) ::usleep(1000);
  }

 private:
  std::promise<void> end_;
  std::atomic<bool> is_over_ = false, is_busy_;
  std::atomic<pid_t> id_ = 0;
  std::jthread thread_;
};

TEST_CASE("A new thread that works is named with what it used; one that waits is not") {
  const ThreadTimes known = ThreadTimes::now();
  Thread spin("spin", true), idle("idle", false);
  const ThreadTimes first = ThreadTimes::now();
  spin.work_for(0.2);
  const ThreadTimes second = ThreadTimes::now();

  const std::string busy = ThreadTimes::busy(known, first, second);

  CHECK_THAT(busy, Catch::StartsWith(
                       fmt::format("left the thread 'spin' ({}) running: it used ", spin.id())));
  CHECK_THAT(busy, Contains(" ms of CPU time in ") && !Contains("idle"));
  const auto found = std::ranges::find(second.threads(), spin.id(), &ThreadTime::thread);
  REQUIRE(found != second.threads().end());
  CHECK((found->cpu_s > 0.17 && found->cpu_s < spin.cpu_s() + 0.02));
}

TEST_CASE("A thread that was there before the variant is not its own") {
  Thread spin("spin", true);
  const ThreadTimes known = ThreadTimes::now();
  const ThreadTimes first = ThreadTimes::now();
  spin.work_for(0.1);
  CHECK(ThreadTimes::busy(known, first, ThreadTimes::now()).empty());
}

TEST_CASE("A thread that has worked and waits, or has ended, is no finding") {
  const ThreadTimes known = ThreadTimes::now();
  Thread rested("rested", true);
  {
    Thread ended("ended", true);
    ended.work_for(0.1);
  }
  rested.work_for(0.1);
  rested.rest();
  const ThreadTimes first = ThreadTimes::now();
  // Work of this thread meanwhile.
  Thread other("other", true);
  other.work_for(0.1);
  const std::string busy = ThreadTimes::busy(known, first, ThreadTimes::now());
  CHECK_THAT(busy, Contains("'other'") && !Contains("'rested'") && !Contains("'ended'"));
}

TEST_CASE("A thread that began between the snapshots counts with all that it used") {
  const ThreadTimes known = ThreadTimes::now();
  const ThreadTimes first = ThreadTimes::now();
  Thread spin("a ) b", true);
  spin.work_for(0.1);
  CHECK_THAT(ThreadTimes::busy(known, first, ThreadTimes::now()),
             Catch::StartsWith("left the thread 'a ) b' ("));
}

TEST_CASE("Several threads make one sentence's end") {
  const ThreadTimes known = ThreadTimes::now();
  Thread one("one", true), two("two", true);
  const ThreadTimes first = ThreadTimes::now();
  one.work_for(0.15);
  two.work_for(0.15);
  const std::string busy = ThreadTimes::busy(known, first, ThreadTimes::now());
  CHECK_THAT(busy, Contains("'one'") && Contains(", left the thread 'two'"));
}

}  // namespace
}  // namespace kernelbatch
