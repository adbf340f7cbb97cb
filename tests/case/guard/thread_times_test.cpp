#include "core/case/guard/thread_times.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

constexpr ThreadTime worker(pid_t thread, double cpu_s) {
  return {.thread = thread, .name = {}, .start = 10, .cpu_s = cpu_s};
}
ThreadTime named(pid_t thread, const char* name, double cpu_s) {
  ThreadTime made = worker(thread, cpu_s);
  made.name = name;
  return made;
}

const ThreadTimes kKnown({worker(1, 5)}, 0);

TEST_CASE("A new working thread is named with its CPU time; a waiting one is not") {
  const ThreadTimes first({worker(1, 5), named(2, "spin", 0.25), named(3, "idle", 0.5)}, 1);
  const ThreadTimes second({worker(1, 7), named(2, "spin", 0.43), named(3, "idle", 0.5)}, 1.2);
  CHECK(ThreadTimes::busy(kKnown, first, second) ==
        "left the thread 'spin' (2) running: it used 180 ms of CPU time in 200 ms");
}

TEST_CASE("A thread that existed before the variant is ignored") {
  const ThreadTimes first({worker(1, 5)}, 1), second({worker(1, 6)}, 2);
  CHECK(ThreadTimes::busy(kKnown, first, second).empty());
}

TEST_CASE("A reused thread id is another thread") {
  ThreadTime later = named(1, "later", 0);
  later.start = 99;
  const ThreadTimes first({later}, 1);
  later.cpu_s = 0.2;
  CHECK_THAT(ThreadTimes::busy(kKnown, first, ThreadTimes({later}, 1.3)), Contains("'later' (1)"));
}

TEST_CASE("A thread that has worked and waits, or has ended, is no finding") {
  const ThreadTimes first({worker(1, 5), named(2, "rested", 9), named(3, "ended", 9)}, 1);
  const ThreadTimes second({worker(1, 5), named(2, "rested", 9)}, 1.2);
  CHECK(ThreadTimes::busy(kKnown, first, second).empty());
}

TEST_CASE("A thread that began between the snapshots counts with all of its CPU time") {
  const ThreadTimes first({worker(1, 5)}, 1);
  const ThreadTimes second({worker(1, 5), named(2, "a ) b", 0.1)}, 1.2);
  CHECK(ThreadTimes::busy(kKnown, first, second) ==
        "left the thread 'a ) b' (2) running: it used 100 ms of CPU time in 200 ms");
}

TEST_CASE("Several threads are named in one sentence") {
  const ThreadTimes first({}, 1), second({named(2, "one", 0.1), named(3, "two", 0.05)}, 1.2);
  CHECK(ThreadTimes::busy(kKnown, first, second) ==
        "left the thread 'one' (2) running: it used 100 ms of CPU time in 200 ms, left the thread "
        "'two' (3) running: it used 50 ms of CPU time in 200 ms");
}

TEST_CASE("Less than two ticks, or a twentieth of the time, does not count") {
  const ThreadTimes first({}, 1);
  CHECK(ThreadTimes::busy(kKnown, first, ThreadTimes({named(2, "tick", 0.01)}, 1.12)).empty());
  CHECK_FALSE(ThreadTimes::busy(kKnown, first, ThreadTimes({named(2, "two", 0.02)}, 1.12)).empty());
  CHECK(ThreadTimes::busy(kKnown, first, ThreadTimes({named(2, "rare", 0.04)}, 2)).empty());
}

TEST_CASE("A thread that never waits is named, whatever its CPU time") {
  const auto look = [](bool spins, bool wakes, double at_s) {
    ThreadTime old = worker(1, 5), spin = named(2, "spin", 0), wake = named(3, "wake", 0);
    old.is_runnable = true;
    spin.is_runnable = spins;
    wake.is_runnable = wakes;
    return ThreadTimes({old, spin, wake}, at_s);
  };
  const std::vector<ThreadTimes> looks{look(true, true, 1), look(true, false, 1.06),
                                       look(true, true, 1.12)};
  CHECK(ThreadTimes::never_waiting(kKnown, looks) ==
        "left the thread 'spin' (2) running: it never waited in 120 ms");
  const std::vector<ThreadTimes> waits{look(true, true, 1), look(false, true, 1.1),
                                       look(true, false, 1.2)};
  CHECK(ThreadTimes::never_waiting(kKnown, waits).empty());
  CHECK(ThreadTimes::never_waiting(kKnown, {}).empty());
}

TEST_CASE("A thread that wakes up every few milliseconds is named") {
  const auto look = [](std::int64_t polls, std::int64_t waits, double at_s) {
    ThreadTime old = worker(1, 5), poll = named(2, "poll", 0), wait = named(3, "wait", 0);
    old.turns = 1000 * polls;
    poll.turns = polls;
    wait.turns = waits;
    return ThreadTimes({old, poll, wait}, at_s);
  };
  CHECK(ThreadTimes::often_awake(kKnown, look(10, 10, 1), look(40, 33, 1.12)) ==
        "left the thread 'poll' (2) running: it woke up 30 times in 120 ms");
  CHECK(ThreadTimes::often_awake(kKnown, look(10, 10, 1), look(33, 10, 1.12)).empty());
  // The system does not count them.
  CHECK(ThreadTimes::often_awake(kKnown, look(0, 0, 1), look(99, 99, 1.12)).empty());
}

TEST_CASE("A snapshot contains how often a thread was scheduled") {
  std::atomic<int> naps = 0;
  std::jthread thread([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      ++naps;
    }
  });
  while (naps < 10) std::this_thread::yield();
  const ThreadTimes first = ThreadTimes::now();
  // On a busy machine a nap may be over before the thread has left its core: it is not counted.
  constexpr int kMostNaps = 1'000'000;
  std::int64_t most = 0;
  for (const int before = naps; most < 100 && naps < before + kMostNaps;) {
    const ThreadTimes second = ThreadTimes::now();
    for (const ThreadTime& later : second.threads())
      for (const ThreadTime& earlier : first.threads())
        if (later.thread == earlier.thread && later.thread != ::getpid())
          most = std::max(most, later.turns - earlier.turns);
  }
  CHECK(most >= 100);
}

TEST_CASE("A snapshot contains the name and CPU time of this process's threads") {
  std::promise<void> end;
  std::atomic<pid_t> id = 0;
  std::jthread thread([&, ended = end.get_future()] {
    ::pthread_setname_np(::pthread_self(), "a ) b");
    id = ::gettid();
    ended.wait();
  });
  while (id == 0) std::this_thread::yield();
  const ThreadTimes now = ThreadTimes::now();
  end.set_value();
  const auto found = std::ranges::find(now.threads(), id.load(), &ThreadTime::thread);
  REQUIRE(found != now.threads().end());
  CHECK(found->name == "a ) b");
  CHECK(found->start > 0);
  CHECK(found->cpu_s >= 0);
}

}  // namespace
}  // namespace kernelbatch
