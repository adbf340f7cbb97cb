#include "core/measure/suspicion.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

Summary times(double median, double iqr = 0, std::int64_t samples = 20) {
  Summary summary;
  summary.median = median;
  summary.iqr = iqr;
  summary.min = median - iqr;
  summary.samples = samples;
  return summary;
}

bool may_differ(const Summary& first, const Summary& second) {
  // Independent of the order of the sets.
  const bool said = may_differ_by_set(std::vector{first, second});
  CHECK(may_differ_by_set(std::vector{second, first}) == said);
  return said;
}

TEST_CASE("One set that takes more than twice as long as another may differ") {
  CHECK_FALSE(may_differ(times(100e-6), times(199e-6)));
  CHECK(may_differ(times(100e-6), times(201e-6)));
  CHECK(different_by_set(100e-6, 201e-6) ==
        "calls on one set of inputs take 100 µs, on another of the same kind 201 µs: answers that "
        "are known may be looked up");
}

TEST_CASE("Sets that differ by microseconds do not count as different") {
  CHECK_FALSE(may_differ(times(1e-6), times(3.9e-6)));
  CHECK(may_differ(times(1e-6), times(4.1e-6)));
}

TEST_CASE("Sets with medians equalized by a busy machine may differ by their fastest calls") {
  CHECK_FALSE(may_differ(times(500e-6, 100e-6), times(510e-6, 100e-6)));
  CHECK(may_differ(times(500e-6, 400e-6), times(510e-6, 300e-6)));
}

TEST_CASE("A set of few samples may differ if the other has many, or by its fastest call") {
  CHECK(may_differ(times(100e-6, 0, 4), times(100e-6)));
  CHECK_FALSE(may_differ(times(100e-6, 0, 5), times(100e-6)));
  for (const std::int64_t samples : {1, 2, 3, 4}) {
    CHECK_FALSE(may_differ(times(100e-6, 0, samples), times(125e-6, 0, 4)));
    CHECK(may_differ(times(100e-6, 0, samples), times(135e-6, 0, 4)));
    CHECK_FALSE(may_differ(times(100e-6, 50e-6, samples), times(800e-6, 740e-6, 4)));
    CHECK_FALSE(may_differ(times(1e-6, 0, samples), times(3.9e-6, 0, 4)));
  }
}

TEST_CASE("A set without samples may differ") {
  CHECK(may_differ_by_set(std::vector{times(1)}));
  CHECK(may_differ_by_set(std::vector{times(1, 0, 1)}));
  CHECK(may_differ_by_set({}));
}

TEST_CASE("Clocks that differ by 5 % or more are suspect, either way") {
  CHECK(different_clocks(1, 1).empty());
  CHECK(different_clocks(0.96, 1).empty());
  CHECK(different_clocks(1.04, 1).empty());
  CHECK(different_clocks(1.06, 1) == "the process clock measured 1.06 s, the system clock 1.00 s");
  CHECK_FALSE(different_clocks(0.94, 1).empty());
  CHECK_FALSE(different_clocks(0, 1).empty());
}

TEST_CASE("Clocks read a few milliseconds apart are not compared") {
  CHECK(different_clocks(0, 4.9e-3).empty());
  CHECK(different_clocks(0, 0).empty());
  CHECK_FALSE(different_clocks(0, 5.1e-3).empty());
}

TEST_CASE("Calls shorter than 70 % of an empty launch are suspect") {
  CHECK(faster_than_nothing(times(6.9e-6), times(10e-6)) ==
        "a call takes 6.90 µs, a kernel that does nothing 10.0 µs");
  CHECK(faster_than_nothing(times(7.1e-6), times(10e-6)).empty());
  CHECK(faster_than_nothing(times(20e-6), times(10e-6)).empty());
}

TEST_CASE("Calls as fast as the fastest empty launch are not suspect") {
  CHECK(faster_than_nothing(times(6e-6), times(10e-6, 4.5e-6)).empty());
  CHECK_FALSE(faster_than_nothing(times(6e-6), times(10e-6, 3.5e-6)).empty());
}

TEST_CASE("Few samples of a call or of an empty launch are not judged") {
  CHECK(faster_than_nothing(times(1e-6, 0, 4), times(10e-6)).empty());
  CHECK(faster_than_nothing(times(1e-6), times(10e-6, 0, 4)).empty());
  CHECK(faster_than_nothing(Summary{}, times(10e-6)).empty());
}

TEST_CASE("A host that works longer than queueing and than the device is suspect") {
  CHECK(busy_host(times(0.9e-3), times(10e-6), 1).empty());
  CHECK(
      busy_host(times(2e-3), times(10e-6), 1) ==
      "the host works 2.00 ms in each call, the device 10.0 µs: the CPU may compute what is timed");
  CHECK(busy_host(times(2e-3), times(10e-6), 11).empty());
  CHECK(busy_host(times(2e-3), times(0.7e-3), 1).empty());
  CHECK(busy_host(times(2e-3, 0, 4), times(10e-6), 1).empty());
}

}  // namespace
}  // namespace kernelbatch
