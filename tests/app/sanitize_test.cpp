// `run --sanitize` and `verify.sanitize`: output, stored results and exit codes.
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// A shift by one place through shared memory, with and without its barrier.
const std::string kShift = test::kShort + R"(workload: inline
inputs: {x: {arange: 64, dtype: int32}}
outputs: {y: {shape: [64], dtype: int32}}
variants:
  good:
    kind: raw
    entry: shift
    grid: 1
    block: 64
    args: [x, y]
    source: |
      extern "C" __global__ void shift(const int* x, int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = s[threadIdx.x] + (s[(threadIdx.x + 63) % 64] == 12345);
      }
  also_good:
    kind: raw
    entry: shift
    grid: 1
    block: 64
    args: [x, y]
    source: |
      extern "C" __global__ void shift(const int* x, int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = s[threadIdx.x] + (s[(threadIdx.x + 63) % 64] == 12345);
      }
  racy:
    kind: raw
    entry: shift
    grid: 1
    block: 64
    args: [x, y]
    source: |
      extern "C" __global__ void shift(const int* x, int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = x[threadIdx.x];
        y[threadIdx.x] = s[threadIdx.x] + (s[(threadIdx.x + 63) % 64] == 12345);
      }
reference: {variant: good}
)";

const ResultRecord& result_of(const ResultFile& file, const std::string& variant) {
  for (const ResultRecord& record : file.results)
    if (record.variant == variant) return record;
  throw std::logic_error("no result of " + variant);
}

TEST_CASE("run --sanitize finds a race, times nothing and ends with 1") {
  const test::JobFolder folder(kShift);
  const ProcessResult run = test::command(
      {"run", "--sanitize", folder.job(), "-o", folder.results(), "--device", "host"});
  INFO(run.output);
  CHECK(run.exit_status == 1);
  CHECK_THAT(run.output, Contains("racy: unsafe in phase run: race at " + folder.job() + ":43"));
  CHECK_THAT(run.output, Contains("with no __syncwarp() or barrier between"));
  CHECK_THAT(run.output,
             Contains("Checked on the host device for memory,race,init,sync; nothing was timed."));
  const ResultFile file = read_results(folder.results());
  const ResultRecord& good = result_of(file, "good");
  CHECK(good.status == Status::kOk);
  CHECK(good.sanitized == "memory,race,init,sync");
  CHECK(good.findings.empty());
  CHECK(std::isnan(good.ranked_time()));
  const ResultRecord& racy = result_of(file, "racy");
  CHECK(racy.status == Status::kUnsafe);
  REQUIRE(racy.findings.size() == 1);
  CHECK(racy.findings[0].check == "race");
  CHECK(racy.findings[0].array == "s");
  CHECK(racy.findings[0].kernel == "shift");
}

TEST_CASE("A sanitizer's results have a separate file") {
  const test::JobFolder folder(kShift);
  const fs::path own = fs::path(folder.results()).replace_extension().string() + "-sanitize.h5";
  CHECK(test::command({"run", "--sanitize=sync", folder.job(), "--device", "host"}).exit_status ==
        0);
  CHECK(fs::is_regular_file(own));
  CHECK_FALSE(fs::exists(folder.results()));
}

TEST_CASE("verify.sanitize keeps an unsafe variant from being timed, and times the others") {
  const test::JobFolder folder(kShift + "verify: {sanitize: [race]}\n");
  const ProcessResult run = test::command({"run", folder.job(), "--device", "host"});
  INFO(run.output);
  CHECK(run.exit_status == 1);
  const ResultFile file = read_results(folder.results());
  CHECK(result_of(file, "racy").status == Status::kUnsafe);
  CHECK(std::isnan(result_of(file, "racy").ranked_time()));
  CHECK(result_of(file, "also_good").sanitized == "race");
  CHECK(result_of(file, "also_good").ranked_time() > 0);
}

TEST_CASE("An unknown check is refused with the nearest name") {
  const test::JobFolder folder(kShift);
  const ProcessResult run = test::command({"run", "--sanitize=raze", folder.job()});
  CHECK(run.exit_status == 2);
  CHECK_THAT(run.output, Contains("unknown check 'raze'"));
  CHECK_THAT(run.output, Contains("race"));
}

TEST_CASE("Checks on a GPU report their requirements") {
  const test::JobFolder folder(kShift);
  for (const char* const option : {"--sanitize=race,gpu", "--sanitize=both"}) {
    const ProcessResult run =
        test::command({"run", option, folder.job(), "-o", folder.results(), "--device", "host"});
    INFO(run.output);
    CHECK(run.exit_status == static_cast<int>(ExitCode::kNoDevice));
    CHECK_THAT(run.output, Contains("need one: the job names the host"));
  }
  const ProcessResult misspelt =
      test::command({"run", "--sanitize=gpo", folder.job(), "-o", folder.results()});
  CHECK(misspelt.exit_status == 2);
  CHECK_THAT(misspelt.output,
             Contains("unknown check 'gpo' (did you mean 'gpu'?); there are memory, race, init, "
                      "sync, host, gpu, both"));
}

}  // namespace
}  // namespace kernelbatch
