#include "core/case/guard/doubts.hpp"

#include <atomic>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("A thread that uses a core between calls is named, one that waits is not") {
  const ThreadTimes before = ThreadTimes::now();
  CHECK(busy_threads(before).empty());
  std::atomic<bool> ends{false};
  std::jthread waits([&] { ends.wait(false); });
  CHECK(busy_threads(before).empty());
  std::jthread works([&] {
    while (!ends) {
    }
  });
  const std::string found = busy_threads(before);
  ends = true;
  ends.notify_all();
  CHECK_THAT(found, Contains("the variant left the thread") && Contains(" running: it "));
}

TEST_CASE("Calls that launch nothing are found if launches are known") {
  LaunchList list;
  list.source = "host";
  const auto doubts = [&](double output_bytes) {
    return doubts_of_launches({.list = list, .event_time = 1e-6, .output_bytes = output_bytes});
  };
  REQUIRE(doubts(4).size() == 1);
  CHECK(doubts(4).front().sentence ==
        "no kernel was launched: what is timed was computed by the CPU, or copied");
  CHECK(doubts(0).empty());
  list.reason = "CUPTI is not there";
  CHECK(doubts(4).empty());
  list.reason.clear();
  list.launches.emplace_back();
  CHECK(doubts(4).empty());
}

TEST_CASE("Calls that are faster than a launch are found, unless there is nothing to write") {
  TimingTools tools(test::device(), TimingTools::Style::kShielded);
  Summary calls = tools.nothing(test::stream());
  CHECK(faster_than_a_launch(calls, 8, tools, test::stream()).empty());
  calls.median = calls.min = 0.1 * calls.min;
  CHECK_FALSE(faster_than_a_launch(calls, 8, tools, test::stream()).empty());
  CHECK(faster_than_a_launch(calls, 0, tools, test::stream()).empty());
}

TEST_CASE("A part of the written bytes may be in the largest cache") {
  CHECK(least_bytes(1e9, 0) == 1e9);
  CHECK(least_bytes(0, 100e6) == 0);
  CHECK(least_bytes(1e9, (128 << 20) + 1000.0) == 1e9 + 1000);
}

}  // namespace
}  // namespace kernelbatch
