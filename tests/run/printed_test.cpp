// Kernel printf output and the text of failed assertions reach the log and the record.
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const std::string kJob = R"(
workload: inline
inputs: {x: {arange: 64, dtype: int32}}
outputs: {z: {shape: [64], dtype: int32}}
reference: {variant: plain}
variants:
  plain: {kind: raw, entry: f, args: [x, z], grid: 1, block: 64, source: "
    extern \"C\" __global__ void f(const int* x, int* z) { z[threadIdx.x] = x[threadIdx.x]; }"}
  prints: {kind: raw, entry: f, args: [x, z], grid: 1, block: 64, source: "
    extern \"C\" __global__ void f(const int* x, int* z) {
      if (threadIdx.x == 3) printf(\"thread %d has %.2f\\n\", x[threadIdx.x], 0.5);
      z[threadIdx.x] = x[threadIdx.x]; }"}
  asserts: {kind: raw, entry: f, args: [x, z], grid: 1, block: 64, source: "
    extern \"C\" __global__ void f(const int* x, int* z) {
      assert(x[threadIdx.x] != 40);
      z[threadIdx.x] = x[threadIdx.x]; }"}
)";

TEST_CASE("A kernel's printf and the text of a failed assert reach the log and the record") {
  const test::JobFolder folder(test::kShort + kJob + "limits: {retries: 0}\n");
  const ProcessResult result = test::command({"run", folder.job()});
  INFO(result.output);
  const ResultFile file = read_results(folder.results());
  REQUIRE(file.results.size() == 3);
  const auto record_of = [&](const std::string& variant) {
    return *std::ranges::find(file.results, variant, &ResultRecord::variant);
  };
  CHECK(record_of("plain").printed.empty());

  const ResultRecord prints = record_of("prints");
  CHECK(prints.status == Status::kOk);
  CHECK(prints.printed == "thread 3 has 0.50\n");  // of many calls the first one's
  CHECK_THAT(result.output, Contains("  prints | thread 3 has 0.50\n"));

  const ResultRecord asserts = record_of("asserts");
  CHECK(asserts.status != Status::kOk);
  CHECK(asserts.phase == Phase::kRun);
  CAPTURE(asserts.reason);
  CHECK_THAT(asserts.detail, Contains("block") && Contains("thread") && Contains("[40,0,0]") ||
                                 Contains("thread (40,0,0)"));
  CHECK_THAT(asserts.detail, Contains("x[threadIdx.x] != 40"));
  CHECK_THAT(result.output, Contains("x[threadIdx.x] != 40"));
}

}  // namespace
}  // namespace kernelbatch
