#include "core/measure/interval_check.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

constexpr double kUs = 1e-6, kMiB = 1 << 20;

/// A list of a call with an interval of `interval_us`, on stream 7.
LaunchList list_of(double interval_us) {
  LaunchList list;
  list.interval = kUs * interval_us;
  list.first_stream = 7;
  list.lists_transfers = true;
  list.source = "CUPTI";
  return list;
}

void place(const LaunchList& list, auto& record, double start_us, double duration_us) {
  record.start = kUs * start_us;
  record.duration = kUs * duration_us;
  record.is_inside = record.start >= 0 && record.start + record.duration <= list.interval;
}

void add_kernel(LaunchList& list, const char* name, double start_us, double duration_us,
                std::int64_t stream = 7) {
  Launch launch;
  launch.kernel = name;
  launch.stream = stream;
  place(list, launch, start_us, duration_us);
  list.launches.push_back(launch);
}

void add_transfer(LaunchList& list, TransferKind kind, double bytes, double start_us,
                  double duration_us, std::int64_t stream = 7) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.bytes = static_cast<std::int64_t>(bytes);
  transfer.stream = stream;
  place(list, transfer, start_us, duration_us);
  list.transfers.push_back(transfer);
}

std::vector<std::string> sentences(const LaunchList& list, double event_us,
                                   double output_bytes = 4 * kMiB, bool is_staged = false) {
  std::vector<std::string> text;
  for (const IntervalFinding& each : check_interval({.list = list,
                                     .event_time = kUs * event_us,
                                     .output_bytes = output_bytes,
                                     .is_staged = is_staged}))
    text.push_back(each.sentence);
  return text;
}

using Sentences = std::vector<std::string>;

TEST_CASE("Kernels within the interval, consistent with the events, are no finding") {
  LaunchList list = list_of(30);
  add_kernel(list, "a", 2, 10);
  add_kernel(list, "b", 5, 10, 9);  // concurrently
  add_kernel(list, "c", 20, 4);
  CHECK(sentences(list, 17) == Sentences{});
  // A cold sample is longer than the listed call.
  CHECK(sentences(list, 40) == Sentences{});
}

TEST_CASE("A kernel after the stop event is reported with its stream") {
  LaunchList list = list_of(10);
  add_kernel(list, "work", 1, 2);
  add_kernel(list, "tail", 12, 10, 9);
  CHECK(sentences(list, 12) ==
        Sentences{"kernel 'tail' ran 12.0 µs after the stop event, on another stream"});
  add_kernel(list, "own", 11, 2);
  CHECK(
      sentences(list, 14) ==
      Sentences{"kernel 'tail' ran 12.0 µs after the stop event, on another stream (and 1 more)"});
}

TEST_CASE("Work that ends outside, began before, or is a copy, is reported as such") {
  LaunchList ends = list_of(10);
  add_kernel(ends, "long", 2, 20);
  CHECK(sentences(ends, 20) == Sentences{"kernel 'long' ended 12.0 µs after the stop event"});
  LaunchList early = list_of(10);
  add_kernel(early, "work", 1, 2);
  add_kernel(early, "ahead", -8, 3);
  CHECK(sentences(early, 5) == Sentences{"kernel 'ahead' began 8.00 µs before the start event"});
  LaunchList copy = list_of(10);
  add_kernel(copy, "work", 1, 2);
  add_transfer(copy, TransferKind::kOnDevice, kMiB, 20, 5, 3);
  CHECK(sentences(copy, 5) ==
        Sentences{"a copy of 1.00 MiB on the device ran 15.0 µs after the stop event, on another "
                  "stream"});
}

TEST_CASE("A result without a kernel is reported, unless the device copied or filled it") {
  LaunchList list = list_of(300);
  CHECK(sentences(list, 300) == Sentences{"no kernel ran, and nothing was copied to the outputs"});
  CHECK(sentences(list, 300, 0) == Sentences{});
  LaunchList host = list_of(300);
  add_transfer(host, TransferKind::kFromHost, 4 * kMiB, 10, 200);
  CHECK(sentences(host, 300) ==
        Sentences{"no kernel ran: the result was copied from the host, 4.00 MiB"});
  for (const TransferKind kind : {TransferKind::kOnDevice, TransferKind::kFill}) {
    LaunchList device = list_of(300);
    add_transfer(device, kind, 4 * kMiB, 10, 200);
    CHECK(sentences(device, 300) == Sentences{});
  }
}

TEST_CASE("Kernels that take far longer than the events are reported") {
  LaunchList list = list_of(60);
  add_kernel(list, "a", 2, 30);
  add_kernel(list, "b", 12, 30);  // together from 2 to 42
  CHECK(busy_time(list) == Approx(40 * kUs));
  CHECK(sentences(list, 2) ==
        Sentences{"kernels ran for 40.0 µs, which the events time as 2.00 µs"});
  // Not reported below a factor of 1.5 or for a few microseconds.
  CHECK(sentences(list, 28) == Sentences{});
  LaunchList brief = list_of(60);
  add_kernel(brief, "a", 2, 6);
  CHECK(sentences(brief, 2) == Sentences{});
  // Without samples there is no time to compare with.
  CHECK(check_interval({.list = list, .output_bytes = 4 * kMiB}).empty());
}

TEST_CASE("A result that the host may have computed is reported, but not staged arrays") {
  LaunchList list = list_of(300);
  add_transfer(list, TransferKind::kFromHost, 4 * kMiB, 10, 200);
  add_kernel(list, "token", 220, 2);
  const Sentences told{
      "each call copies 4.00 MiB from the host, where its outputs have 4.00 MiB, and its kernels "
      "take 2.00 µs: the result may be the host's"};
  CHECK(sentences(list, 300) == told);
  CHECK(sentences(list, 300, 4 * kMiB, true) == Sentences{});
  // A table of coefficients, and kernels that take longer than the copy.
  CHECK(sentences(list, 300, 64 * kMiB) == Sentences{});
  add_kernel(list, "work", 225, 250);
  list.interval = 500 * kUs;
  for (Launch& each : list.launches) each.is_inside = true;
  CHECK(sentences(list, 500) == Sentences{});
}

TEST_CASE("A list without the interval gives no findings") {
  LaunchList list;
  list.source = "launch calls";
  CHECK(sentences(list, 10) == Sentences{});
}

TEST_CASE("The most severe finding comes first") {
  LaunchList list = list_of(10);
  add_transfer(list, TransferKind::kFromHost, 4 * kMiB, 1, 5);
  add_kernel(list, "tail", 12, 30, 9);
  const auto findings =
      check_interval({.list = list, .event_time = 8 * kUs, .output_bytes = 4 * kMiB});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].doubt == IntervalDoubt::kOutside);
  CHECK(findings[1].doubt == IntervalDoubt::kTooLong);
}

}  // namespace
}  // namespace kernelbatch
