#include "core/base/clock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("The system's clock agrees with the process's own") {
  using Clock = std::chrono::steady_clock;
  const double before = system_seconds();
  const Clock::time_point start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double steady = std::chrono::duration<double>(Clock::now() - start).count();
  const double system = system_seconds() - before;
  CHECK(steady >= 0.005);
  // Read in sequence, the outer ones around the inner.
  CHECK(system >= steady);
}

TEST_CASE("Neither steady clock goes back") {
  double last = system_seconds();
  for (int k = 0; k < 1000; ++k) {
    const double now = system_seconds();
    CHECK(now >= last);
    last = now;
  }
}

TEST_CASE("The time of day is that of this century") {
  const double years = static_cast<double>(unix_time_ns()) / 1e9 / (365.25 * 86400);
  CHECK((years > 50 && years < 130));
}

std::vector<ClockPair::Reading> readings;
ClockPair::Reading next_reading() {
  const ClockPair::Reading next = readings.front();
  readings.erase(readings.begin());
  return next;
}

TEST_CASE("A pair of clocks adds up the spans between begin and end, and nothing between them") {
  ClockPair clocks(&next_reading);
  CHECK(clocks.steady_s() == 0);
  CHECK(clocks.system_s() == 0);
  readings = {{100, 7, true}, {101, 8.5, true}, {200, 50, true}, {202, 52, true}};
  for (int span = 0; span < 2; ++span) {
    clocks.begin();
    clocks.end();
  }
  CHECK(clocks.steady_s() == Approx(1 + 2));
  CHECK(clocks.system_s() == Approx(1.5 + 2));
  CHECK(readings.empty());
}

TEST_CASE("A span whose ends were not read atomically is left out") {
  ClockPair clocks(&next_reading);
  readings = {{1, 1, false}, {2, 2, true}, {3, 3, true},
              {4, 4, false}, {5, 5, true}, {5.5, 5.5, true}};
  for (int span = 0; span < 3; ++span) {
    clocks.begin();
    clocks.end();
  }
  CHECK(clocks.steady_s() == Approx(0.5));
  CHECK(clocks.system_s() == Approx(0.5));
}

TEST_CASE("The real pair reads both clocks") {
  ClockPair clocks;
  clocks.begin();
  clocks.end();
  CHECK(clocks.steady_s() >= 0);
  CHECK(clocks.system_s() >= 0);
}

TEST_CASE("A simulated clock moves by readings and by simulated work only") {
  REQUIRE(MeasuringClock::is_simulated());  // tests/support/main.cpp
  const auto start = MeasuringClock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(seconds_since(start) == Approx(1e-6));
  MeasuringClock::advance(2);
  CHECK(seconds_since(start) == Approx(2 + 2e-6));
  const auto launch = MeasuringClock::now();
  MeasuringClock::add_launch(1e6);
  CHECK(seconds_since(launch) == Approx(10.011e-3));
  const auto copy = MeasuringClock::now();
  MeasuringClock::add_copy(1e9);
  CHECK(seconds_since(copy) == Approx(0.200001));
}

/// In the process that the next test starts.
TEST_CASE("The measuring clock is the steady one", "[.steady]") {
  using Steady = std::chrono::steady_clock;
  REQUIRE_FALSE(MeasuringClock::is_simulated());
  const auto before = Steady::now();
  const auto measured = MeasuringClock::now();
  CHECK(measured >= before);
  MeasuringClock::advance(1000);
  const auto advanced = MeasuringClock::now();
  const auto after = Steady::now();
  CHECK(measured <= after);
  CHECK(advanced <= after);
}

TEST_CASE("Times are real unless simulated ones are asked for") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("KERNELBATCH_CLOCK", "steady", 1);
    ::execl("/proc/self/exe", "base_tests", "[.steady]", nullptr);
    ::_exit(126);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace
}  // namespace kernelbatch
