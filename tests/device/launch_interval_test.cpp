// Assignment of launches and transfers to the interval between two marker kernels.
#include <cmath>

#include "core/device/launch_log.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

constexpr double kMicro = 1e-6;
const LaunchShape kBefore{.grid = {}, .block = {3, 5, 1}, .shared_bytes = 160};
const LaunchShape kAfter{.grid = {}, .block = {4, 7, 1}, .shared_bytes = 320};

Launch launch_at(const char* kernel, double start_us, double duration_us,
                 const LaunchShape& shape = {.grid = {10}, .block = {256}}, std::int64_t on = 7) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.shared_dynamic = static_cast<std::int64_t>(shape.shared_bytes);
  launch.start = kMicro * start_us;
  launch.duration = kMicro * duration_us;
  launch.stream = on;
  return launch;
}

Transfer transfer_at(double start_us, double duration_us) {
  Transfer transfer;
  transfer.kind = TransferKind::kFromHost;
  transfer.bytes = 1 << 20;
  transfer.start = kMicro * start_us;
  transfer.duration = kMicro * duration_us;
  return transfer;
}

TEST_CASE("Work between the markers is inside, and starts are relative to the first one's end") {
  LaunchList list;
  list.launches = {
      launch_at("old", 0, 1),        launch_at("m", 10, 1, kBefore),
      launch_at("a", 12, 4),         launch_at("b", 17, 2, {.grid = {10}, .block = {256}}, 9),
      launch_at("m", 21, 1, kAfter), launch_at("tail", 21.5, 5)};
  list.transfers = {transfer_at(2, 1), transfer_at(13, 1), transfer_at(18, 9)};

  REQUIRE(place_in_interval(list, kBefore, kAfter));

  CHECK(list.interval == Approx(10 * kMicro));
  CHECK(list.first_stream == 7);
  REQUIRE(list.launches.size() == 4);
  CHECK(list.launches[0].is_inside == false);
  CHECK(list.launches[0].start == Approx(-11 * kMicro));
  CHECK(list.launches[1].is_inside == true);
  CHECK(list.launches[1].start == Approx(1 * kMicro));
  CHECK(list.launches[2].is_inside == true);
  CHECK(list.launches[3].kernel == "tail");
  CHECK(list.launches[3].is_inside == false);
  CHECK(list.transfers[0].is_inside == false);
  CHECK(list.transfers[1].is_inside == true);
  CHECK(list.transfers[2].is_inside == false);
}

TEST_CASE("A variant's own kernels with a marker's shape do not move the interval") {
  LaunchList list;
  list.launches = {launch_at("m", 0, 1, kBefore), launch_at("fake", 2, 1, kBefore),
                   launch_at("fake", 4, 1, kAfter), launch_at("m", 9, 1, kAfter)};
  REQUIRE(place_in_interval(list, kBefore, kAfter));
  CHECK(list.interval == Approx(8 * kMicro));
  CHECK(list.launches.size() == 2);
}

TEST_CASE("A marker of zero measured duration is recognized") {
  LaunchList list;
  list.launches = {launch_at("m", 0, std::nan(""), kBefore), launch_at("a", 2, 1),
                   launch_at("m", 9, std::nan(""), kAfter)};
  REQUIRE(place_in_interval(list, kBefore, kAfter));
  CHECK(list.interval == Approx(9 * kMicro));
  CHECK(list.launches[0].is_inside == true);
}

TEST_CASE("If a marker is missing, starts and interval are unknown") {
  for (const bool has_first : {false, true}) {
    LaunchList list;
    list.launches = {launch_at("a", 12, 4)};
    if (has_first) list.launches.insert(list.launches.begin(), launch_at("m", 10, 1, kBefore));
    list.transfers = {transfer_at(13, 1)};
    CHECK_FALSE(place_in_interval(list, kBefore, kAfter));
    CHECK(std::isnan(list.interval));
    REQUIRE(list.launches.size() == 1);
    CHECK(std::isnan(list.launches[0].start));
    CHECK_FALSE(list.launches[0].is_inside.has_value());
    CHECK(std::isnan(list.transfers[0].start));
  }
}

}  // namespace
}  // namespace kernelbatch
