#include "core/measure/calibration.hpp"

#include <cmath>

#include "core/measure/launch_summary.hpp"
#include "core/result/ceiling.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

DeviceCalibration gpu() {
  DeviceCalibration calibration;
  calibration.device = "gpu";
  calibration.copy_bandwidth = 100;
  calibration.read_bandwidth = 120;
  return calibration;
}

TEST_CASE("The ceiling is between those of a read and a copy, by bytes read and written") {
  CHECK(ceiling_of(1000, 0, gpu()) == Approx(120));
  CHECK(ceiling_of(1000, 1000, gpu()) == Approx(100));
  CHECK(ceiling_of(0, 1000, gpu()) == Approx(100));
  // Two reads and one write: a third of the bytes is read beyond what is copied.
  CHECK(ceiling_of(2000, 1000, gpu()) == Approx(3000 / (2000 / 100.0 + 1000 / 120.0)));
  CHECK(std::isnan(ceiling_of(1000, 0, DeviceCalibration{})));
}

TEST_CASE("Only results of the calibrated device get its ceiling") {
  std::vector<ResultRecord> results(2);
  results[0].device = "gpu";
  results[1].device = "host";
  for (ResultRecord& result : results) {
    result.status = Status::kOk;
    result.bytes_read = 1000;
    result.bytes_written = 0;
    result.cold.median = 20;
  }
  const std::vector<DeviceCalibration> calibrations{gpu()};
  add_ceilings(results, calibrations);
  CHECK(results[0].share_of_ceiling() == Approx(50.0 / 120));
  CHECK(std::isnan(results[1].ceiling));
}

TEST_CASE("A noisy calibration is repeated, and the least noisy is used") {
  const auto quietest_of = [](std::vector<double> floors) {
    std::size_t calls = 0;
    const DeviceCalibration best = quietest([&] {
      DeviceCalibration calibration;
      calibration.noise_floor = floors.at(calls++);
      return calibration;
    });
    return std::pair(best.noise_floor, calls);
  };
  CHECK(quietest_of({0.05}) == std::pair(0.05, std::size_t{1}));
  CHECK(quietest_of({0.051, 0.01}) == std::pair(0.01, std::size_t{2}));
  CHECK(quietest_of({0.3, 5.75, 0.2}) == std::pair(0.2, std::size_t{3}));
  CHECK(quietest_of({0.3, kMissing, 0.4}) == std::pair(0.3, std::size_t{3}));
  CHECK(quietest_of({kMissing, 0.4, kMissing}) == std::pair(0.4, std::size_t{3}));
}

TEST_CASE("The expected difference follows Student's t") {
  const std::vector<double> none, one{1}, same(5, 3.0), some{1, 2, 3, 4, 5};
  CHECK(std::isnan(expected_difference(none)));
  CHECK(std::isnan(expected_difference(one)));
  CHECK(expected_difference(same) == 0);
  CHECK(expected_difference(some) == Approx(2.776445 * std::sqrt(2.0) * std::sqrt(2.5)));
}

Launch launch_of(std::uint32_t grid, double duration, double occupancy) {
  Launch launch;
  launch.kernel = "k";
  launch.grid.x = grid;
  launch.block.x = 32;
  launch.registers = static_cast<std::int64_t>(grid);
  launch.shared_static = 16;
  launch.shared_dynamic = 100;
  launch.duration = duration;
  launch.occupancy = occupancy;
  return launch;
}

TEST_CASE("A result has its launches, maximum resources and the longest launch's occupancy") {
  ResultRecord record;
  record.shared_bytes = 50;
  add_launches({{launch_of(1, 5e-6, 0.5), launch_of(9, 2e-6, 1)}, "CUPTI", ""}, record);
  CHECK(record.kernel_launches == 2);
  REQUIRE(record.launches.size() == 2);
  CHECK(record.launches[1].order == 1);
  CHECK(record.launches[1].grid[0] == 9);
  CHECK(record.registers == 9);
  CHECK(record.shared_bytes == 116);
  CHECK(record.occupancy == 0.5);

  ResultRecord untimed;
  add_launches({{launch_of(1, kMissing, 0.5), launch_of(9, kMissing, 1)}, "captured graph", ""},
               untimed);
  CHECK(untimed.occupancy == 1);
}

TEST_CASE("An empty list counts as zero launches only if launches can be listed") {
  ResultRecord none;
  add_launches({{}, "CUPTI", ""}, none);
  CHECK(none.kernel_launches == 0);
  ResultRecord unknown;
  add_launches({{}, "launch calls", "no permission"}, unknown);
  CHECK(unknown.kernel_launches == -1);
}

}  // namespace
}  // namespace kernelbatch
