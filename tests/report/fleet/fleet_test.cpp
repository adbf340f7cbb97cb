// Comparison of devices of one kind, with results of made-up machines.
#include "core/report/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

using Catch::Matchers::Contains;

/// Machines whose parts take the times of their kind, varying by `scatter` between GPUs and by
/// `noise` between runs.
class MadeUpFleet {
 public:
  MadeUpFleet(std::size_t devices, double scatter, double noise, unsigned seed = 1)
      : noise_(noise), random_(seed) {
    std::normal_distribution<double> normal(0, scatter);
    for (std::size_t k = 0; k < devices; ++k)
      for (std::string_view part : kParts) speed_[{k, std::string(part)}] = normal(random_);
    devices_ = devices;
  }
  void slow(std::size_t device, const std::string& part, double by) {
    speed_[{device, part}] = std::log1p(by);
  }
  void fail(std::size_t device) { broken_ = static_cast<std::ptrdiff_t>(device); }
  void lose(std::size_t device, const std::string& part) { speed_.erase({device, part}); }

  std::vector<ResultFile> files() {
    std::vector<ResultFile> files;
    for (std::size_t k = 0; k < devices_; ++k) {
      ResultFile file;
      file.environments.push_back(
          {{{"gpu_uuid", fmt::format("GPU-{:03}", k)}, {"host", fmt::format("n{:02}", k / 4)}}});
      for (std::string_view part : kParts)
        if (speed_.contains({k, std::string(part)})) add(file, k, std::string(part));
      files.push_back(std::move(file));
    }
    return files;
  }

  static constexpr std::string_view kParts[] = {"copy", "read", "matmul"};

 private:
  void add(ResultFile& file, std::size_t device, const std::string& part) {
    std::normal_distribution<double> normal(0, noise_);
    ResultRecord record =
        test::MadeResult("raw", 1e-3 * std::exp(speed_.at({device, part}) + normal(random_)))
            .of(part)
            .on("NVIDIA H200")
            .set(&ResultRecord::start_ns, 1)
            .made();
    record.cold.ci95_low = record.cold.median * std::exp(-1.96 * noise_);
    record.cold.ci95_high = record.cold.median * std::exp(1.96 * noise_);
    if (std::cmp_equal(device, broken_) && part == "matmul") {
      record.status = Status::kVerificationFailed;
      record.reason = "3 of 100 elements differ";
    }
    file.results.push_back(std::move(record));
    file.environment_of.push_back(0);
    file.job_of.push_back(-1);
  }

  std::size_t devices_ = 0;
  double noise_;
  std::mt19937_64 random_;
  std::map<std::pair<std::size_t, std::string>, double> speed_;
  std::ptrdiff_t broken_ = -1;
};

std::vector<std::string> outliers_of(const Fleet& fleet) {
  std::vector<std::string> found;
  for (const FleetKind& kind : fleet.kinds)
    for (const FleetDevice& device : kind.devices)
      for (std::size_t part = 0; part < kind.parts.size(); ++part)
        if (device.values[part].is_outlier)
          found.push_back(device.id + " " + kind.parts[part].substr(0, kind.parts[part].find(' ')));
  std::ranges::sort(found);
  return found;
}

TEST_CASE("A GPU that is slower than its kind is named with the part that shows it") {
  MadeUpFleet made(16, 0.002, 0.001);
  made.slow(5, "copy", 0.023);
  const Fleet fleet = fleet_of(made.files());
  REQUIRE(fleet.kinds.size() == 1);
  CHECK(fleet.kinds[0].devices.size() == 16);
  CHECK(outliers_of(fleet) == std::vector<std::string>{"GPU-005 copy"});
  CHECK(fleet.kinds[0].devices.back().id == "GPU-005");
  CHECK(fleet.has_outliers());
  const std::string text = fleet_text(fleet);
  CHECK_THAT(text, Contains("NVIDIA H200: 16 devices"));
  CHECK_THAT(text,
             Contains("GPU-005 on n01 is 2.") && Contains("slower than its kind in copy (99 %"));
}

TEST_CASE("A fast one is an outlier, too, and a device in all parts is named for each") {
  MadeUpFleet made(12, 0.002, 0.001, 3);
  made.slow(2, "read", -0.05);
  for (std::string_view part : MadeUpFleet::kParts) made.slow(7, std::string(part), 0.1);
  CHECK(outliers_of(fleet_of(made.files())) ==
        std::vector<std::string>{"GPU-002 read", "GPU-007 copy", "GPU-007 matmul", "GPU-007 read"});
}

TEST_CASE("Several slow ones do not hide each other") {
  MadeUpFleet made(16, 0.002, 0.001, 4);
  for (std::size_t device : {1U, 4U, 9U, 13U}) made.slow(device, "matmul", 0.08);
  CHECK(outliers_of(fleet_of(made.files())).size() == 4);
}

TEST_CASE("A difference within the uncertainty of a run is no outlier") {
  MadeUpFleet made(16, 0.0001, 0.02, 5);
  made.slow(3, "copy", 0.02);
  CHECK(outliers_of(fleet_of(made.files())).empty());
  // Nor is a difference below half a percent, however quiet the devices are.
  MadeUpFleet quiet(16, 1e-5, 1e-5, 5);
  quiet.slow(3, "copy", 0.003);
  CHECK(outliers_of(fleet_of(quiet.files())).empty());
}

TEST_CASE("One in a hundred fleets without a slow device has an outlier") {
  for (const std::size_t devices : {5U, 8U, 24U, 100U}) {
    int fleets = 0;
    constexpr int kFleets = 100;
    for (unsigned seed = 0; seed < kFleets; ++seed) {
      MadeUpFleet made(devices, 0.004, 0.002, seed);
      fleets += fleet_of(made.files()).has_outliers() ? 1 : 0;
    }
    CAPTURE(devices, fleets);
    CHECK(fleets <= 4);
  }
}

TEST_CASE("Few devices of a kind show distances, and no outlier") {
  MadeUpFleet made(3, 0.002, 0.001);
  made.slow(1, "copy", 0.3);
  const Fleet fleet = fleet_of(made.files());
  CHECK_FALSE(fleet.has_outliers());
  CHECK(fleet.kinds[0].devices.back().id == "GPU-001");
  CHECK_THAT(fleet_text(fleet), Contains("Fewer than 5 devices"));
}

TEST_CASE("Kinds are apart: other GPUs, slices, hosts") {
  MadeUpFleet made(6, 0.002, 0.001);
  std::vector<ResultFile> files = made.files();
  for (ResultRecord& record : files[0].results) record.device = "NVIDIA H100";
  files[1].environments[0].values.emplace_back("mig_profile", std::string("1g.10gb"));
  for (ResultRecord& record : files[2].results) record.device = "host CPU";
  const Fleet fleet = fleet_of(files);
  REQUIRE(fleet.kinds.size() == 4);
  CHECK(fleet.kinds[0].name == "NVIDIA H100");
  CHECK(fleet.kinds[1].name == "NVIDIA H200");
  CHECK(fleet.kinds[1].devices.size() == 3);
  CHECK(fleet.kinds[2].name == "NVIDIA H200 1g.10gb");
  CHECK(fleet.kinds[3].devices[0].id == "n00");
}

TEST_CASE("A device of several tasks counts once, and one that lacks a part is listed") {
  MadeUpFleet made(8, 0.002, 0.001);
  made.lose(6, "copy");
  std::vector<ResultFile> files = made.files();
  const std::vector<ResultFile> again = made.files();
  files.insert(files.end(), again.begin(), again.end());
  const Fleet fleet = fleet_of(files);
  REQUIRE(fleet.kinds[0].devices.size() == 8);
  for (const FleetDevice& device : fleet.kinds[0].devices)
    CHECK(std::ranges::count_if(device.values, [](const FleetValue& value) {
            return std::isnan(value.time);
          }) == (device.id == "GPU-006" ? 1 : 0));
}

TEST_CASE("Failures of a device are reported") {
  MadeUpFleet made(8, 0.002, 0.001);
  made.fail(4);
  const Fleet fleet = fleet_of(made.files());
  CHECK(fleet.has_failures());
  CHECK_THAT(fleet_text(fleet), Contains("GPU-004 on n01: matmul") &&
                                    Contains("verification_failed: 3 of 100 elements differ"));
  const auto json = nlohmann::json::parse(fleet_json(fleet));
  REQUIRE(json.size() == 1);
  CHECK(json[0]["devices"].size() == 8);
  CHECK(json[0]["devices"][0]["parts"].size() == 3);
}

TEST_CASE("No files give no fleet") {
  CHECK(fleet_of({}).kinds.empty());
  CHECK(fleet_text({}).empty());
}

}  // namespace
}  // namespace kernelbatch
