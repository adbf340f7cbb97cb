// Kernels that are compiled while others are measured.
#include "core/run/compile_ahead.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "core/base/error.hpp"
#include "core/job/parse.hpp"
#include "core/kernel/program/cache.hpp"
#include "tests/app/command.hpp"
#include "tests/run/good_job.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// Scales by each value of `c`; the last value does not compile.
const std::string kJob = R"yaml(kernelbatch: 1
name: ahead
workload: inline
params: {c: [1, 2, 3, 77]}
inputs: {x: {shape: [1000], dtype: float32, random: uniform, seed: 1}}
outputs: {y: {shape: [1000], dtype: float32}}
reference: {cpp: "for (int i = 0; i < 1000; ++i) y[i] = x[i] * c;"}
variants:
  raw:
    kind: raw
    source: |
      #if C == 77
      #error no such factor
      #endif
      extern "C" __global__ void scale(const float* x, float* y, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] * C;
      }
    entry: scale
    options: ["-DC={c}"]
    grid: "ceil(x.size / 256)"
    block: 256
    args: [x, y, x.size]
measure: {times: false}
)yaml";

CompileAhead::Wanted scaling(std::int64_t c, double bytes = 0) {
  return {.request = {.case_id = "c" + std::to_string(c),
                      .device = "host",
                      .params = {{"c", c}},
                      .variants = {"raw"}},
          .order = static_cast<std::size_t>(c),
          .bytes = bytes};
}

/// Seconds for which the kernel was compiled, once it was; a kernel of `failing` never is.
double compile_time(CompileAhead& ahead, std::int64_t c) {
  ResultRecord record;
  record.case_id = "c" + std::to_string(c);
  record.variant = "raw";
  record.compile_time = 0;
  while (ahead.add_compile_time(record), record.compile_time == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return record.compile_time;
}

TEST_CASE("Wanted kernels are compiled, and a failing one does not stop the others") {
  test::set_environment();
  const test::TemporaryFolder cache;
  const test::EnvironmentVariable folder("KERNELBATCH_CACHE_DIR", cache.path().string());
  const JobSpec job = parse_job(kJob, cache.path() / "job.yaml");
  const WorkerCommand command{{test::executable(), "__worker"}};
  {
    CompileAhead ahead(command, job, "host", 1);
    for (const std::int64_t c : {77, 1, 2}) ahead.want(scaling(c));
    // It need not be open.
    ahead.use_device(compile_target("host"), false);
    CHECK(compile_time(ahead, 1) > 0);
    CHECK(compile_time(ahead, 2) > 0);
  }
  // These two, and the harness's kernels.
  CHECK(cache_usage(cache.path()).entries == 3);
  // Another process does not compile them again.
  CaseCompiler again(command, job);
  again.compile(scaling(2).request, [](const std::string&, const CompileOutcome& outcome) {
    CHECK(outcome.reason.empty());
    REQUIRE(outcome.builds.size() == 1);
    CHECK(outcome.builds.front().is_from_cache);
  });
}

TEST_CASE("A variable limits the number of compilers") {
  const int most = compile_processes();
  const test::EnvironmentVariable none(kCompilersVariable, "0");
  CHECK(compile_processes() == 0);
  const test::EnvironmentVariable many(kCompilersVariable, "100000");
  CHECK(compile_processes() == most);
  for (const char* text : {"-1", "two", "1.5"}) {
    const test::EnvironmentVariable invalid(kCompilersVariable, text);
    CHECK_THROWS_WITH(compile_processes(), Contains("expected a number from 0"));
  }
}

TEST_CASE("Kernels of cases with too much memory are not compiled") {
  test::set_environment();
  const test::TemporaryFolder cache;
  const test::EnvironmentVariable folder("KERNELBATCH_CACHE_DIR", cache.path().string());
  const JobSpec job = parse_job(kJob, cache.path() / "job.yaml");
  CompileAhead ahead({{test::executable(), "__worker"}}, job, "host", 1);
  ahead.use_device(compile_target("host"), true);
  ahead.want(scaling(3, 1e30));
  ahead.want(scaling(2));
  CHECK(compile_time(ahead, 2) > 0);
  ResultRecord record;
  record.case_id = "c3";
  record.variant = "raw";
  record.compile_time = 0;
  ahead.add_compile_time(record);
  CHECK(record.compile_time == 0);
}

TEST_CASE("A run without times compiles the next cases, and each failure is reported in its turn") {
  const test::TemporaryFolder cache;
  test::set_environment();
  const test::EnvironmentVariable folder("KERNELBATCH_CACHE_DIR", cache.path().string());
  const test::JobFolder job(kJob);
  const ProcessResult ended = test::command({"run", job.job(), "--device", "host", "-q"});
  CHECK(ended.exit_status == static_cast<int>(ExitCode::kCaseFailed));
  std::map<std::int64_t, ResultRecord> by_factor;
  for (ResultRecord& record : read_results(job.results(), Samples::kOmit).results)
    if (record.variant == "raw")
      by_factor[std::get<std::int64_t>(record.params.front().second)] = std::move(record);
  REQUIRE(by_factor.size() == 4);
  for (const std::int64_t c : {1, 2, 3}) {
    CHECK(by_factor[c].status == Status::kOk);
    // The second is the wait for a process whose report comes after the result.
    CHECK(by_factor[c].compile_time + by_factor[c].load_time > 0);
  }
  CHECK(by_factor[77].status == Status::kCompileFailed);
  CHECK_THAT(by_factor[77].reason + by_factor[77].detail, Contains("no such factor"));
}

}  // namespace
}  // namespace kernelbatch
