#include "core/run/patience.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

TEST_CASE("Time in which this process was stopped does not count") {
  Patience patience(1.0);
  auto now = Patience::Clock::now();
  patience.skip(now);
  patience.tick(now += minutes(10));  // it slept through its slice
  CHECK_FALSE(patience.is_over());
  patience.tick(now += milliseconds(250));
  CHECK_FALSE(patience.is_over());
  patience.tick(now += milliseconds(250));
  CHECK(patience.is_over());
}

TEST_CASE("Time in which the worker was stopped does not count") {
  Patience patience(1.0);
  auto now = Patience::Clock::now();
  for (int k = 0; k < 1000; ++k) patience.skip(now += milliseconds(250));
  patience.tick(now += milliseconds(250));
  CHECK_FALSE(patience.is_over());
}

TEST_CASE("A wait is no longer than what is left") {
  CHECK(Patience(100).slice() == Patience::kSlice);
  CHECK(Patience(0.1).slice() == milliseconds(100));
  CHECK(Patience(0).is_over());
  CHECK(Patience(1e300).slice() == Patience::kSlice);
}

}  // namespace
}  // namespace kernelbatch
