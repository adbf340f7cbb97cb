// Raw variants are correct for all tuning parameters, also if tiles, loads and blocks do not divide
// the problem; configurations that are impossible are skipped with the reason. Runs the real
// command, on the device that KERNELBATCH_TEST_DEVICE names.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const bool kTunes = test::require_test_device();

std::vector<ResultRecord> results_of(const std::string& job) {
  const test::JobFolder folder(test::kShort + job);
  const ProcessResult run = test::command({"run", folder.job()});
  INFO(run.output);
  REQUIRE(run.exit_status == 0);
  return read_results(folder.results()).results;
}

/// Names of tuning parameters and a list of values for each: configurations with which a case is
/// run one after another.
struct Configurations {
  const char *workload, *sizes, *names, *values, *inputs;
  std::size_t results;
};

std::string job_of(const Configurations& c) {
  return fmt::format("workload: {}\nparams: {{{}, {}}}\nzip: [[{}]]\nvariants: [raw]\n{}",
                     c.workload, c.sizes, c.values, c.names, c.inputs);
}

void require_right(const Configurations& configurations) {
  CAPTURE(configurations.workload, configurations.sizes, configurations.values);
  const std::vector<ResultRecord> results = results_of(job_of(configurations));
  CHECK(results.size() == configurations.results);
  for (const ResultRecord& record : results) {
    CAPTURE(to_text(record.params), record.reason);
    CHECK(record.status == Status::kOk);
    CHECK(record.verified);
  }
}

TEST_CASE("matmul is correct for every tiling") {
  constexpr const char* kNames =
      "tile_m, tile_n, tile_k, thread_m, thread_n, vector, stages, pad, unroll, blocks_per_unit";
  constexpr const char* kValues =
      "tile_m: [16, 48, 32, 33, 128], tile_n: [32, 20, 32, 8, 64], tile_k: [8, 6, 16, 8, 4], "
      "thread_m: [4, 3, 8, 11, 8], thread_n: [4, 5, 2, 1, 8], vector: [4, 2, 1, 8, 2], "
      "stages: [2, 1, 2, 2, 1], pad: [0, 1, 3, 2, 4], unroll: [8, 4, 3, 8, 1], "
      "blocks_per_unit: [0, 1, 2, 3, 1]";
  // Rows whose length is a multiple of the vector, and others; within a tile and across several.
  require_right({"matmul", "m: [1, 70], n: 40, k: [8, 48], dtype: [float32, float64]", kNames,
                 kValues, "", 2 * 2 * 2 * 5});
  require_right({"matmul", "m: 70, n: [1, 61], k: [1, 37], dtype: [float32, float64]", kNames,
                 kValues, "", 2 * 2 * 2 * 5});
  require_right({"matmul", "m: 70, n: [40, 61], k: 40, dtype: [float16, bfloat16]",
                 "tile_m, thread_m, vector", "tile_m: [64, 32], thread_m: [4, 2], vector: [4, 8]",
                 "", 2 * 2 * 2});
}

TEST_CASE("squared_diff is correct for every kind of load") {
  constexpr const char* kNames = "block, items, vector, unroll, cache";
  constexpr const char* kValues =
      "block: [2, 96, 1024, 64], items: [1, 5, 2, 16], vector: [2, 2, 1, 2], "
      "unroll: [1, 3, 2, 16], cache: [keep, streaming, streaming, auto]";
  require_right({"squared_diff",
                 "rows: 33, cols: [1, 31, 1000], dtype: float64, broadcast: [none, row, "
                 "column], layout: [contiguous, transposed, strided]",
                 kNames, kValues, "", 3 * 3 * 3 * 4});
  require_right({"squared_diff",
                 "rows: 33, cols: [31, 1000, 10007], dtype: [int32, float32], broadcast: [none, "
                 "scalar]",
                 "block, vector", "block: [1, 96], vector: [4, 4]", "", 3 * 2 * 2 * 2});
}

TEST_CASE("l2norm is correct for every division of its sums") {
  require_right({"l2norm", "rows: 300, cols: [33, 5000], axis: [0, 1, all], dtype: float32",
                 "block, items, vector, share, lanes, tile, blocks_per_unit",
                 "block: [32, 96, 1024, 64], items: [8, 1, 2, 16], vector: [4, 2, 2, 1], "
                 "share: [lanes, warp, blocks, auto], lanes: [8, 0, 0, 16], tile: [7, 0, 128, 3], "
                 "blocks_per_unit: [1, 64, 8, 0]",
                 "", 2 * 3 * 4});
  require_right({"l2norm", "rows: [1, 301], cols: 255, axis: [0, 1], dtype: float64",
                 "block, items, vector, share",
                 "block: [96, 512], items: [4, 8], vector: [2, 1], share: [lanes, blocks]", "",
                 2 * 2 * 2});
}

TEST_CASE("wave2d is correct for every division of a step") {
  constexpr const char* kNames = "block_x, block_y, items, vector, unroll, memory";
  constexpr const char* kValues =
      "block_x: [1, 8, 48, 32], block_y: [1, 3, 2, 8], items: [1, 5, 4, 2], vector: [4, 2, 1, 4], "
      "unroll: [1, 2, 4, 2], memory: [cache, shared, auto, shared]";
  require_right({"wave2d",
                 "rows: [1, 33], cols: [1, 131, 132], steps: [1, 4], dtype: [float32, float64]",
                 kNames, kValues, "", 2 * 3 * 2 * 2 * 4});
}

TEST_CASE("csr_spmv is correct for every division of its rows") {
  constexpr const char* kNames = "block, items, lanes, rows_per_block, long_row, blocks_per_unit";
  constexpr const char* kValues =
      "block: [32, 96, 512, 64], items: [1, 3, 2, 4], lanes: [1, 32, auto, 4], "
      "rows_per_block: [5, 1, 0, 2000], long_row: [2, 0, 1000, 16], blocks_per_unit: [0, 3, 2, 1]";
  require_right({"csr_spmv",
                 "n: [1, 33, 1000], nnz_per_row: [1, 300], pattern: [random, banded], dtype: "
                 "float32",
                 kNames, kValues, "", 3 * 2 * 2 * 4});
  const std::string real = fmt::format("inputs: {{A: {{file: \"{}/data/inputs/bcsstk13.mtx\"}}}}\n",
                                       test::source_folder());
  require_right({"csr_spmv", "dtype: float64", kNames, kValues, real.c_str(), 4});
}

TEST_CASE("An impossible configuration is skipped with the reason") {
  const struct {
    const char *workload, *values, *reason;
  } refused[] = {
      {"matmul", "tile_m: 60", "tile_m = 60 is no multiple of thread_m = 8"},
      {"matmul", "tile_n: 36, thread_n: 8", "tile_n = 36 is no multiple of thread_n = 8"},
      {"matmul", "tile_k: 6, vector: 4", "tile_k = 6 is no multiple of vector = 4"},
      {"matmul", "vector: 3", "vector = 3 is no power of two"},
      {"matmul", "tile_k: 8, unroll: 16", "unroll = 16 is more than tile_k = 8"},
      {"matmul", "thread_m: 1, thread_n: 1", "(tile_m / thread_m) (tile_n / thread_n) is 16384"},
      {"matmul", "tile_m: 1024, tile_n: 1024, thread_m: 64, thread_n: 64",
       "thread_m thread_n is 4096"},
      {"matmul", "tile_k: 256, stages: 2, thread_m: 4, thread_n: 4", "bytes of shared memory"},
      {"matmul", "blocks_per_unit: 16", "blocks_per_unit = 16 of 256 threads"},
      {"squared_diff", "vector: 3", "vector = 3 is none of 1, 2, 4"},
      {"squared_diff", "vector: 4", "more than the 16 bytes of a load"},
      {"squared_diff", "items: 2, unroll: 3", "unroll = 3 is more than items = 2"},
      {"l2norm", "block: 100", "block = 100 is no multiple of 32"},
      {"l2norm", "items: 3", "items = 3 is no power of two"},
      {"l2norm", "lanes: 12", "lanes = 12 is no power of two"},
      {"l2norm", "tile: 512", "tile = 512 is more than block = 256"},
      {"l2norm", "share: lanes, lanes: 1, vector: 1", "are 1 chains for each sum"},
      {"wave2d", "block_x: 512", "block_x block_y is 2048"},
      {"wave2d", "vector: 3", "vector = 3 is none of 1, 2, 4"},
      {"wave2d", "items: 64, vector: 4, memory: shared", "memory = shared"},
      {"csr_spmv", "block: 100", "block = 100 is no multiple of 32"},
      {"csr_spmv", "block: 1024, items: 16", "bytes of shared memory"},
  };
  for (const auto& [workload, values, reason] : refused) {
    CAPTURE(workload, values);
    const auto results = results_of(
        fmt::format("workload: {}\nparams: {{{}}}\nvariants: [raw]\n", workload, values));
    REQUIRE(results.size() == 1);
    CHECK(results[0].status == Status::kSkipped);
    CHECK_THAT(results[0].reason, Contains(reason));
  }
}

TEST_CASE("A variant that is not tuned uses the precompiled kernel") {
  const struct {
    const char *workload, *kernel, *sizes, *value;
  } variants[] = {{"matmul", "matmul_float64", "n: 40", "tile_m: 64"},
                  {"squared_diff", "squared_diff_float64", "rows: 7", "block: 128"},
                  {"wave2d", "step_float32", "steps: 3", "items: 2"}};
  for (const auto& tuned : variants) {
    const auto has_kernel = [&](const std::string& params) {
      const auto results = results_of(
          fmt::format("workload: {}\nparams: {{{}}}\nvariants: [raw]\n", tuned.workload, params));
      REQUIRE(results.size() == 1);
      return std::ranges::any_of(results[0].kernels, [&](const KernelRecord& record) {
        return record.name.find(tuned.kernel) != std::string::npos;
      });
    };
    CAPTURE(tuned.workload);
    CHECK(has_kernel(tuned.sizes));
    CHECK_FALSE(has_kernel(fmt::format("{}, {}", tuned.sizes, tuned.value)));
  }
}

}  // namespace
}  // namespace kernelbatch
