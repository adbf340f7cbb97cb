#include "core/run/patience.hpp"

#include <unistd.h>

#include "core/base/run_delay.hpp"
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

TEST_CASE("Time in which the worker had no core does not count") {
  Patience patience(1.0);
  auto now = Patience::Clock::now();
  patience.skip(now);
  for (int k = 0; k < 4; ++k) patience.tick(now += milliseconds(250));
  CHECK(patience.is_over());
  CHECK(patience.uncredited() == milliseconds(1000));
  patience.credit(0.6);
  CHECK_FALSE(patience.is_over());
  CHECK(patience.uncredited() == milliseconds(0));
  patience.tick(now += milliseconds(250));
  patience.credit(0);
  CHECK_FALSE(patience.is_over());
  patience.tick(now += milliseconds(350));
  CHECK(patience.is_over());
}

TEST_CASE("A tenth of the time counts, whatever is credited") {
  Patience patience(1.0);
  auto now = Patience::Clock::now();
  patience.skip(now);
  int slices = 0;
  for (; !patience.is_over() && slices < 1000; ++slices) {
    patience.tick(now += milliseconds(250));
    patience.credit(1e300);
  }
  CHECK(slices == 40);
  patience.credit(-5);
  CHECK(patience.is_over());
}

TEST_CASE("The time that a thread waited is the second number of its schedstat") {
  CHECK(waited_ns("4084528 5258909 4") == 5258909);
  CHECK(waited_ns("0 0 0") == 0);
  for (const char* text : {"", "12", "12 34", "12 x 3", "12 "}) {
    CAPTURE(text);
    CHECK_FALSE(waited_ns(text));
  }
}

TEST_CASE("A process that does not exist has waited for nothing") {
  CHECK(RunDelay(-1).take() == 0);
  RunDelay own(::getpid());
  CHECK(own.take() >= 0);
}

TEST_CASE("A wait is no longer than the remaining time") {
  CHECK(Patience(100).slice() == Patience::kSlice);
  CHECK(Patience(0.1).slice() == milliseconds(100));
  CHECK(Patience(0).is_over());
  CHECK(Patience(1e300).slice() == Patience::kSlice);
}

}  // namespace
}  // namespace kernelbatch
