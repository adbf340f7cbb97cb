#include "core/result/ceiling.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

using Catch::Matchers::Contains;

const std::vector<DeviceCalibration> kCalibrations{
    {.device = "cuda NVIDIA H200", .copy_bandwidth = 4e12, .read_bandwidth = 4.2e12}};

ResultRecord record_of(double least_bytes, double time) {
  return test::MadeResult("raw", time)
      .on(kCalibrations.front().device)
      .set(&ResultRecord::least_bytes, least_bytes)
      .made();
}

Status doubted(ResultRecord record) {
  doubt_by_memory(record, kCalibrations);
  return record.status;
}

TEST_CASE("A call that is faster than its bytes can be read is suspect") {
  ResultRecord record = record_of(4.2e9, 0.8e-3);
  doubt_by_memory(record, kCalibrations);
  CHECK(record.status == Status::kSuspect);
  CHECK(record.phase == Phase::kMeasure);
  CHECK_THAT(record.reason, Contains("takes 800 µs") && Contains("1.00 ms at 4200 GB/s"));
  CHECK(std::isnan(record.ranked_time()));
}

TEST_CASE("A result slightly above the measured ceiling is accepted") {
  CHECK(doubted(record_of(4.2e9, 0.9e-3)) == Status::kOk);
  CHECK(doubted(record_of(4.2e9, 0.86e-3)) == Status::kSuspect);
}

TEST_CASE("Results of few or unknown bytes, of other devices and of the host are not judged") {
  CHECK(doubted(record_of(1e6, 1e-9)) == Status::kOk);
  CHECK(doubted(record_of(kMissing, 1e-9)) == Status::kOk);
  ResultRecord other = record_of(4.2e9, 1e-9);
  other.device = "cuda another";
  CHECK(doubted(other) == Status::kOk);
  const std::vector<DeviceCalibration> host{
      {.device = "host CPU", .copy_bandwidth = 1e9, .read_bandwidth = 1e9}};
  other.device = "host CPU";
  doubt_by_memory(other, host);
  CHECK(other.status == Status::kOk);
}

TEST_CASE("Results of some of a GPU's SMs are not judged") {
  const std::vector<DeviceCalibration> part{{.device = "cuda NVIDIA H200, 16 of 132 SMs",
                                             .copy_bandwidth = 1.7e12,
                                             .read_bandwidth = 1.77e12}};
  ResultRecord record = record_of(480e6, 201e-6);
  record.device = part.front().device;
  doubt_by_memory(record, part);
  CHECK(record.status == Status::kOk);
}

TEST_CASE("A failed result keeps its status") {
  ResultRecord record = record_of(4.2e9, 0.8e-3);
  record.status = Status::kVerificationFailed;
  CHECK(doubted(record) == Status::kVerificationFailed);
}

}  // namespace
}  // namespace kernelbatch
