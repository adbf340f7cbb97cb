// Every variant of every workload, at the sizes where kernels go wrong, in every dtype: through the
// real command, on the device that KERNELBATCH_TEST_DEVICE names.
#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "core/store/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const bool kHasDevice = test::require_test_device();

struct Run {
  ProcessResult process;
  ResultFile file;
};

/// Runs a job's workload part and requires that every result is right.
Run run_all_right(const test::JobFolder& folder) {
  Run run{test::command({"run", folder.job()}), {}};
  INFO(run.process.output);
  REQUIRE(run.process.exit_status == 0);
  run.file = read_results(folder.results());
  for (const ResultRecord& record : run.file.results) {
    CAPTURE(to_text(record.params), record.variant, record.reason);
    CHECK(record.status == Status::kOk);
    CHECK(record.verified);
  }
  return run;
}

test::JobFolder job_of(const std::string& workload, const std::string& params,
                       const std::string& more = "") {
  return test::JobFolder(test::kShort + "workload: " + workload + "\nparams: " + params + "\n" +
                         more);
}

template <class T>
std::vector<T> values_of(const test::JobFolder& folder, const ResultRecord& record,
                         const std::string& output) {
  const StoredOutput stored = read_output(folder.results(), record.case_id, record.variant, output);
  std::vector<T> values(stored.bytes.size() / sizeof(T));
  std::memcpy(values.data(), stored.bytes.data(), stored.bytes.size());
  return values;
}

constexpr const char* kEdges = "2, 31, 32, 33, 1000, 100003";

TEST_CASE("Every variant of mse is right at every edge, in every dtype") {
  const test::JobFolder folder =
      job_of("mse", fmt::format("{{n: [1, {}], dtype: [float32, float64]}}", kEdges));
  CHECK(run_all_right(folder).file.results.size() == 7 * 2 * 5);
}

TEST_CASE("Every variant of prime_factor_sum is right at every edge") {
  const test::JobFolder folder = job_of("prime_factor_sum", fmt::format("{{n: [{}]}}", kEdges));
  CHECK(run_all_right(folder).file.results.size() == 6 * 6);
}

TEST_CASE("Every variant of hillshade is right on models of every shape") {
  for (const char* shape :
       {"[1, 1]", "[1, 33]", "[33, 1]", "[2, 2]", "[3, 3]", "[31, 32]", "[33, 65]"}) {
    const test::JobFolder folder = job_of(
        "hillshade", "{azimuth: 300}",
        fmt::format("inputs: {{dem: {{random: integers, low: -100, high: 3000, shape: {}, dtype: "
                    "int16, seed: 3}}}}\n",
                    shape));
    CAPTURE(shape);
    CHECK(run_all_right(folder).file.results.size() == 5);
  }
}

TEST_CASE("hillshade is right on the real model, alone and tiled") {
  const test::JobFolder folder = job_of("hillshade", "{tile: [1, 2], altitude: [0, 90]}");
  CHECK(run_all_right(folder).file.results.size() == 4 * 5);
}

TEST_CASE("A flat model has no slope and the sun's own shade") {
  const test::JobFolder folder =
      job_of("hillshade", "{altitude: 30}",
             "inputs: {dem: {full: 0, value: 250, shape: [20, 30], dtype: int16}}\n");
  for (const ResultRecord& record : run_all_right(folder).file.results) {
    for (const float slope : values_of<float>(folder, record, "slope")) CHECK(slope == 0);
    for (const float shade : values_of<float>(folder, record, "shade"))
      CHECK(shade == Approx(0.5).epsilon(1e-5));
  }
}

TEST_CASE("The sums of prime factors up to a million are the known ones") {
  const test::JobFolder folder = job_of("prime_factor_sum", "{n: 1e6}");
  const Run run = run_all_right(folder);
  REQUIRE(run.file.results.size() == 6);
  for (const ResultRecord& record : run.file.results) {
    const auto sums = values_of<std::int64_t>(folder, record, "sums");
    CAPTURE(record.variant);
    REQUIRE(sums.size() == 999'999);
    CHECK(std::vector(sums.begin(), sums.begin() + 5) == std::vector<std::int64_t>{2, 3, 4, 5, 5});
    CHECK(std::vector(sums.end() - 3, sums.end()) == std::vector<std::int64_t>{287, 77, 42});
    CHECK(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) == 64'989'338'772);
  }
}

TEST_CASE("The mean squared error of a constant difference is its square") {
  const test::JobFolder folder = job_of("mse", "{n: 1000, dtype: [float64]}",
                                        "inputs:\n  y_true: {full: 0, value: 2, shape: [1000]}\n"
                                        "  y_pred: {full: 0, value: -1.5, shape: [1000]}\n");
  for (const ResultRecord& record : run_all_right(folder).file.results)
    CHECK(values_of<double>(folder, record, "mse") == std::vector<double>{12.25});
}

}  // namespace
}  // namespace kernelbatch
