// Estimates of MIG slices from results with known times and bytes.
#include "core/report/slices/slices.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

ResultRecord timed(const std::string& variant, double seconds, double bytes) {
  return test::MadeResult(variant, seconds)
      .in_case("c1")
      .set(&ResultRecord::least_bytes, bytes)
      .made();
}

SliceRun run_of(const std::string& profile, int units, double compute, double memory,
                std::vector<ResultRecord> results) {
  SliceRun run{.profile = profile, .compute_units = units, .compute = compute, .memory = memory};
  run.results.results = std::move(results);
  return run;
}

TEST_CASE("A slice's time is the longer of its SMs' and its bandwidth's") {
  // 1 TB/s: 1 GB takes 1 ms on the whole GPU, and 8 ms on an eighth of its bandwidth.
  std::vector<SliceRun> runs{
      run_of("whole", 132, 1, 1, {timed("jit", 1.1e-3, 1e9), timed("raw", 1e-3, 1e9)}),
      run_of("1g.10gb", 16, 1.0 / 7, 1.0 / 8, {timed("raw", 6e-3, 1e9), timed("jit", 5e-3, 1e9)}),
      run_of("3g.40gb", 64, 3.0 / 7, 0.5, {timed("jit", 3e-3, 1e9), timed("raw", 4e-3, 1e9)})};
  runs[0].results.calibration = {{.device = "GPU", .copy_bandwidth = 1e12}};
  const std::vector<SliceEstimate> estimates = slice_estimates(runs);
  REQUIRE(estimates.size() == 3);
  CHECK(estimates[0].variant == "raw");
  CHECK(estimates[0].time == 1e-3);
  CHECK_FALSE(estimates[0].is_bandwidth_bound);
  CHECK(estimates[1].time == 8e-3);
  CHECK(estimates[1].is_bandwidth_bound);
  CHECK(estimates[1].variant == "jit");
  CHECK(estimates[1].time_share() == 8e-3 * (1.0 / 7));
  CHECK(estimates[2].variant == "jit");
  CHECK(estimates[2].time == 3e-3);
  CHECK_FALSE(estimates[2].is_bandwidth_bound);
  const std::string text = slices_text(estimates, {});
  CHECK_THAT(text, Contains("1g.10gb") && Contains("bandwidth") && Contains("8.00 ms"));
}

TEST_CASE("A slice without a right result has a reason instead of a time") {
  ResultRecord failed = timed("raw", 1e-3, 1e9);
  failed.status = Status::kOutOfMemory;
  const std::vector<SliceRun> runs{run_of("whole", 132, 1, 1, {timed("raw", 1e-3, 1e9)}),
                                   run_of("1g.10gb", 16, 1.0 / 7, 1.0 / 8, {failed}),
                                   run_of("2g.20gb", 32, 2.0 / 7, 2.0 / 8, {})};
  const std::vector<SliceEstimate> estimates = slice_estimates(runs);
  REQUIRE(estimates.size() == 3);
  // Without a calibration only the SMs count.
  CHECK(estimates[0].time == 1e-3);
  CHECK(std::isnan(estimates[1].time));
  CHECK(estimates[1].reason == "out_of_memory");
  CHECK(estimates[2].reason == "no result");
  const auto json = nlohmann::json::parse(slices_json(estimates));
  CHECK(json[0]["time"] == 1e-3);
  CHECK(json[1]["time"].is_null());
  CHECK(json[1]["reason"] == "out_of_memory");
}

}  // namespace
}  // namespace kernelbatch
