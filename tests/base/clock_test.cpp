#include "core/base/clock.hpp"

#include <chrono>
#include <thread>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("The system's clock and the process's own go alike") {
  using Clock = std::chrono::steady_clock;
  const double before = system_seconds();
  const Clock::time_point start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const double steady = seconds_since(start);
  const double system = system_seconds() - before;
  CHECK(steady >= 0.03);
  // Read one after the other, the outer one around the inner.
  CHECK(system >= steady);
  CHECK(system < steady + 0.5);
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

TEST_CASE("A pair of clocks adds up the same spans, and nothing between them") {
  ClockPair clocks;
  CHECK(clocks.steady_s() == 0);
  CHECK(clocks.system_s() == 0);
  double spans = 0;
  for (int k = 0; k < 5; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double before = system_seconds();
    clocks.begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    clocks.end();
    spans += system_seconds() - before;
  }
  // Those at whose ends this process had to wait are left out: one of five is there.
  CHECK(clocks.system_s() >= 5e-3);
  CHECK(clocks.system_s() <= spans);
  CHECK(clocks.steady_s() <= clocks.system_s() + 1e-3);
  CHECK(clocks.steady_s() >= clocks.system_s() - 1e-3);
}

}  // namespace
}  // namespace kernelbatch
