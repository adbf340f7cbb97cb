// Every variant of every workload in every dtype, at sizes at which kernels tend to be wrong. Runs
// the real command, on the device that KERNELBATCH_TEST_DEVICE names. The tag of a case is its
// workload. Sweeps are pairwise over parameters and variants; with KERNELBATCH_TEST_COMPLETE=1, and
// on a GPU, they are complete.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "core/base/text.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pairwise.hpp"

namespace kernelbatch {
namespace {

const bool kHasDevice = test::require_test_device();

/// Under a sanitizer, which makes threads of kernels ten times slower, the longest cases are left
/// out.
const bool kIsSanitized = environment("KERNELBATCH_TEST_SANITIZED").has_value();
/// KERNELBATCH_TEST_QUICK: on a GPU under compute-sanitizer.
const bool kIsComplete =
    environment("KERNELBATCH_TEST_COMPLETE").has_value() ||
    (test::test_device() != "host" && !environment("KERNELBATCH_TEST_QUICK").has_value());

struct Run {
  ProcessResult process;
  ResultFile file;
};

/// Runs a job's workload part and requires correct results of all variants, except those that skip
/// a device (`library`) or a dtype (`raw_tensor`).
Run run_all_right(const test::JobFolder& folder) {
  Run run{test::command({"run", folder.job()}), {}};
  INFO(run.process.output);
  REQUIRE(run.process.exit_status == 0);
  run.file = read_results(folder.results());
  for (const ResultRecord& record : run.file.results) {
    CAPTURE(to_text(record.params), record.variant, record.reason);
    if (record.status == Status::kSkipped) {
      CHECK((record.variant == "library" || record.variant == "raw_tensor"));
      CHECK_FALSE(record.reason.empty());
      continue;
    }
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

constexpr const char* kNumbers = "2, 31, 32, 33, 1000, 100003";

/// A parameter and its values, as a job has them.
struct Swept {
  const char* name;
  std::vector<std::string> values;
};

std::vector<std::string> variants_of(const std::string& workload) {
  const std::string text = test::command({"describe", workload}).output;
  std::vector<std::string> names;
  bool is_table = false;
  for (const std::string& line : split(text, '\n')) {
    if (is_table && line.starts_with("  ") && !line.starts_with("  name "))
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Variants") is_table = true;
  }
  REQUIRE(names.size() >= 5);
  return names;
}

/// All combinations with all variants, in one entry of the job.
std::string complete_entry(const std::string& workload, const std::vector<Swept>& parameters) {
  std::string params;
  for (const Swept& each : parameters)
    params +=
        fmt::format("{}{}: [{}]", params.empty() ? "" : ", ", each.name, join(each.values, ", "));
  return fmt::format("  - {{workload: {}, params: {{{}}}}}\n", workload, params);
}

/// An entry for each combination of a pairwise sweep, with the reference and the variants that it
/// is combined with.
std::string pairwise_entries(const std::string& workload, const std::vector<Swept>& parameters) {
  const std::vector<std::string> variants = variants_of(workload);
  std::vector<std::size_t> sizes;
  for (const Swept& each : parameters) sizes.push_back(each.values.size());
  sizes.push_back(variants.size());
  std::map<std::string, std::set<std::string>> chosen;
  for (const auto& row : test::pairwise_rows(sizes)) {
    std::string params;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      params += fmt::format("{}{}: {}", k == 0 ? "" : ", ", parameters[k].name,
                            parameters[k].values[row[k]]);
    const std::string& variant = variants[row.back()];
    auto& of_case = chosen[params];
    if (variant != "reference") of_case.insert(variant);
  }
  std::string text;
  for (const auto& [params, of_case] : chosen)
    text += fmt::format("  - {{workload: {}, params: {{{}}}, variants: [reference{}{}]}}\n",
                        workload, params, of_case.empty() ? "" : ", ", fmt::join(of_case, ", "));
  return text;
}

/// `cases` is the number of combinations that a complete sweep must have.
void sweep(const std::string& workload, const std::vector<Swept>& parameters, std::size_t cases) {
  CAPTURE(workload);
  const test::JobFolder folder(test::kShort + "workloads:\n" +
                               (kIsComplete ? complete_entry(workload, parameters)
                                            : pairwise_entries(workload, parameters)));
  const std::size_t results = run_all_right(folder).file.results.size();
  const std::size_t variants = variants_of(workload).size();
  if (kIsComplete)
    CHECK(results == cases * variants);
  else
    CHECK((results >= variants && results <= cases * variants));
}

const std::vector<std::string> kEdges{"1", "31", "32", "33", "1000", "100003"};

void sweep_vectors(const std::string& workload, const std::vector<std::string>& dtypes) {
  sweep(workload, {{"n", kEdges}, {"dtype", dtypes}}, 6 * dtypes.size());
}

const std::vector<std::string> kFloats{"float32", "float64"}, kComplex{"complex64", "complex128"},
    kMatmul{"float16", "bfloat16", "float32", "float64"};

TEST_CASE("vector_add is right", "[vector_add]") {
  sweep_vectors("vector_add", {"int32", "int64", "float32", "float64"});
}
TEST_CASE("scaled_add is right", "[scaled_add]") { sweep_vectors("scaled_add", kFloats); }
TEST_CASE("clipped_relu is right", "[clipped_relu]") {
  sweep_vectors("clipped_relu", {"int32", "float32", "float64"});
}
TEST_CASE("abs2 is right", "[abs2]") { sweep_vectors("abs2", kComplex); }
TEST_CASE("sin_exp is right", "[sin_exp]") { sweep_vectors("sin_exp", kFloats); }
TEST_CASE("square_exp is right", "[square_exp]") { sweep_vectors("square_exp", kFloats); }
TEST_CASE("complex_axpy is right", "[complex_axpy]") { sweep_vectors("complex_axpy", kComplex); }
TEST_CASE("add_reverse is right", "[add_reverse]") {
  sweep_vectors("add_reverse", {"int32", "float32", "float64"});
}
TEST_CASE("copy is right", "[copy]") {
  sweep_vectors("copy", {"uint8", "int32", "float32", "float64"});
}
TEST_CASE("mse is right", "[mse]") { sweep_vectors("mse", kFloats); }
TEST_CASE("diagonal_spmv is right", "[diagonal_spmv]") { sweep_vectors("diagonal_spmv", kFloats); }

TEST_CASE("squared_diff is right", "[squared_diff]") {
  const Swept broadcast{"broadcast", {"none", "row", "column", "scalar"}};
  const Swept layout{"layout", {"contiguous", "transposed", "strided"}};
  sweep("squared_diff",
        {{"rows", {"1", "33"}},
         {"cols", {"1", "32", "1000"}},
         {"dtype", {"int32", "float64"}},
         broadcast,
         layout},
        2 * 3 * 2 * 4 * 3);
  sweep("squared_diff",
        {{"rows", {"33"}}, {"cols", {"31", "1000"}}, {"dtype", {"float32"}}, broadcast, layout},
        2 * 4 * 3);
  sweep("squared_diff",
        {{"rows", {"3"}},
         {"cols", {"33", "1000", "100003"}},
         {"dtype", kFloats},
         {"broadcast", {"none", "row"}},
         {"layout", {"contiguous", "transposed"}}},
        3 * 2 * 2 * 2);
}
TEST_CASE("sum_of_products is right", "[sum_of_products]") {
  sweep("sum_of_products", {{"rows", {"1", "33"}}, {"cols", kEdges}, {"dtype", kFloats}},
        2 * 6 * 2);
}
TEST_CASE("l2norm is right", "[l2norm]") {
  const Swept axis{"axis", {"0", "1", "all"}};
  sweep("l2norm",
        {{"rows", {"1", "33", "1000"}}, {"cols", {"1", "32", "33"}}, axis, {"dtype", kFloats}},
        3 * 3 * 3 * 2);
  sweep("l2norm", {{"rows", {"100003"}}, {"cols", {"3"}}, axis, {"dtype", kFloats}}, 3 * 2);
}
TEST_CASE("matmul is right", "[matmul]") {
  sweep("matmul",
        {{"m", {"1", "33", "65"}},
         {"n", {"1", "32"}},
         {"k", {"1", "31", "1000"}},
         {"dtype", kMatmul}},
        3 * 2 * 3 * 4);
  if (!kIsSanitized)
    sweep("matmul",
          {{"m", {"130"}}, {"n", {"127", "260"}}, {"k", {"33", "48"}}, {"dtype", kMatmul}},
          2 * 2 * 4);
}
TEST_CASE("csr_spmv is right", "[csr_spmv]") {
  sweep("csr_spmv",
        {{"n", {"1", "31", "33", "1000", "100003"}},
         {"nnz_per_row", {"1", "5", "40"}},
         {"pattern", {"random", "banded"}},
         {"dtype", kFloats}},
        5 * 3 * 2 * 2);
}
TEST_CASE("texture_resample is right", "[texture_resample]") {
  sweep("texture_resample",
        {{"out_rows", {"1", "33"}},
         {"out_cols", {"1", "31", "1000"}},
         {"filter", {"point", "linear"}}},
        2 * 3 * 2);
}
TEST_CASE("wave2d is right", "[wave2d]") {
  sweep("wave2d",
        {{"rows", {"1", "33", "100"}},
         {"cols", {"1", "32", "1000"}},
         {"steps", {"1", "2", "31"}},
         {"dtype", kFloats}},
        3 * 3 * 3 * 2);
}
TEST_CASE("gradient is right", "[gradient]") {
  sweep("gradient",
        {{"rows", {"1", "8", "33", "100"}}, {"cols", {"1", "2", "32", "1000"}}, {"dtype", kFloats}},
        4 * 4 * 2);
}
TEST_CASE("overlap is right", "[overlap]") {
  sweep("overlap",
        {{"rows", {"1", "33"}},
         {"cols", {"1", "31", "1000"}},
         {"m", {"1", "33", "65"}},
         {"dtype", kFloats}},
        2 * 3 * 3 * 2);
}

TEST_CASE("Variants are correct however they are tuned", "[tuned]") {
  const struct {
    const char *workload, *params, *values;
    std::size_t combinations;
  } searches[] = {
      {"vector_add", "{n: 10007}", "{block: [1, 33, 1024], items_per_thread: [1, 3, 1e6]}", 9},
      {"sin_exp", "{n: 10007}", "{block: [32, 256], items_per_thread: [1, 7]}", 4},
      {"wave2d", "{rows: 33, cols: 65, steps: 3}", "{block: [32, 1000], items_per_thread: [1, 7]}",
       4},
      {"csr_spmv", "{n: 1000, nnz_per_row: 40}", "{lanes: [1, 4, 32]}", 3},
      {"csr_spmv", "{n: 1000}", "{lanes: [auto, 1, 2, 4, 8, 16, 32]}", 7},
      {"mse", "{n: 100003}", "{blocks_per_unit: [1, 3, 32]}", 3},
  };
  for (const auto& search : searches) {
    CAPTURE(search.workload);
    const test::JobFolder folder =
        job_of(search.workload, search.params,
               fmt::format("variants: [jit, raw]\ntune: {{params: {}}}\n", search.values));
    CHECK(run_all_right(folder).file.results.size() == 2 * search.combinations);
  }
}

TEST_CASE("The sparse products are right for real matrices", "[sparse]") {
  for (const char* workload : {"csr_spmv", "diagonal_spmv"}) {
    for (const char* matrix : {"bcsstk13", "jagmesh7", "west0067"}) {
      CAPTURE(workload, matrix);
      const test::JobFolder folder =
          job_of(workload, "{dtype: [float32, float64]}",
                 fmt::format("inputs: {{A: {{file: \"{}/data/inputs/{}.mtx\"}}}}\n",
                             test::source_folder(), matrix));
      CHECK(run_all_right(folder).file.results.size() == 2 * 6);
    }
  }
}

// A GPU has groups of four warps for tiles of 128 by 256 or 256 by 128 if rows begin at multiples
// of 16 bytes, in stages with a depth of 64 or 32 elements, and each block processes several tiles
// if there are many.
TEST_CASE("Tensor cores are correct within tiles, across tiles and in the last of many",
          "[tensor]") {
  const std::string dtypes = "dtype: [float16, bfloat16, float32]";
  const struct {
    std::string params;
    std::size_t cases;
  } sizes[] = {{"{m: [128, 256], n: 256, k: [64, 576], " + dtypes + "}", 2 * 2 * 3},
               {"{m: [1, 129, 300], n: [8, 264], k: [8, 72, 200], " + dtypes + "}", 3 * 2 * 3 * 3},
               {"{m: 257, n: [255, 260], k: [100, 101], " + dtypes + "}", 2 * 2 * 3},
               {"{m: 4000, n: 2008, k: 72, " + dtypes + "}", 3}};
  // The host computes a tensor core's step lane by lane, and supports only one kernel.
  const bool is_host = test::test_device() == "host";
  for (const auto& size : sizes) {
    if (is_host && size.cases != 2 * 2 * 3) continue;
    if (kIsSanitized && size.params.find("576") != std::string::npos) continue;
    CAPTURE(size.params);
    const Run run =
        run_all_right(job_of("matmul", size.params, "variants: [reference, raw_tensor]\n"));
    std::size_t verified = 0;
    for (const ResultRecord& record : run.file.results)
      if (record.variant == "raw_tensor" && record.verified) ++verified;
    CHECK(verified == size.cases);
  }
}

TEST_CASE("A tensor core's float32 has the tolerance of TF32, every other that of float32",
          "[tensor]") {
  const Run run = run_all_right(
      job_of("matmul", "{m: 40, n: 40, k: 40, dtype: float32}", "variants: [raw, raw_tensor]\n"));
  std::map<std::string, OutputRecord> outputs;
  for (const ResultRecord& record : run.file.results) {
    REQUIRE(record.outputs.size() == 1);
    outputs[record.variant] = record.outputs.front();
  }
  const OutputRecord &raw = outputs.at("raw"), &tensor = outputs.at("raw_tensor");
  CHECK(tensor.max_abs_err > 10 * raw.max_abs_err);
  CHECK(raw.tolerance.starts_with("reduction n=44 "));
  CHECK(tensor.tolerance.starts_with("reduction n=1.654e+04 "));
}

/// Rows without entries, with a few, and one (with 1-based number `long_row`) with all columns,
/// from the last column to the first.
std::string irregular_matrix(int rows, int columns, int long_row) {
  std::string entries;
  int count = 0;
  const auto add = [&](int row, int column) {
    entries += fmt::format("{} {} {}\n", row, column, 0.5 + 1.0 / (1 + (row + 7 * column) % 91));
    ++count;
  };
  for (int row = 1; row <= rows; ++row) {
    if (row == long_row)
      for (int column = columns; column >= 1; --column) add(row, column);
    else if (row % 3 != 0)
      for (int k = row % 7; k > 0; --k) add(row, 1 + (row * 37 + k * 211) % columns);
  }
  return fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n{}", rows, columns,
                     count, entries);
}

TEST_CASE("csr_spmv is right with empty rows, a row of many entries and columns in any order",
          "[sparse]") {
  // In float32 the error bound of one long row would make that of many short ones too large.
  const struct {
    int rows, columns, long_row;
    const char* dtypes;
    std::size_t results;
  } matrices[] = {{301, 20000, 8, "[float32, float64]", 12},
                  {5000, 9001, 4999, "[float64]", 6},
                  {40, 300, 1, "[float32, float64]", 12},
                  {3, 70000, 2, "[float64]", 6}};
  for (const auto& [rows, columns, long_row, dtypes, results] : matrices) {
    CAPTURE(rows, columns, long_row);
    const test::JobFolder folder = job_of("csr_spmv", fmt::format("{{dtype: {}}}", dtypes),
                                          "inputs: {A: {file: irregular.mtx}}\n");
    folder.write("irregular.mtx", irregular_matrix(rows, columns, long_row));
    CHECK(run_all_right(folder).file.results.size() == results);
  }
}

TEST_CASE("l2norm gives the known norms of the rows of 0 … 9", "[l2norm]") {
  const test::JobFolder folder =
      job_of("l2norm", "{rows: 2, cols: 5, axis: 1, dtype: float64}",
             "inputs: {x: {arange: 10, shape: [2, 5], dtype: float64}}\n");
  for (const ResultRecord& record : run_all_right(folder).file.results) {
    const auto norms = values_of<double>(folder, record, "norm");
    REQUIRE(norms.size() == 2);
    CHECK(norms[0] == Approx(5.477226).epsilon(1e-6));
    CHECK(norms[1] == Approx(15.9687195).epsilon(1e-8));
  }
}

/// Number of kernels that each variant of a workload launched, according to its results.
std::map<std::string, std::size_t> kernel_counts(const std::string& workload) {
  std::map<std::string, std::size_t> counts;
  const test::JobFolder folder = job_of(workload, "{n: 1000}");
  for (const ResultRecord& record : run_all_right(folder).file.results)
    counts[record.variant] = record.kernels.size();
  return counts;
}

TEST_CASE("Fused variants are one kernel, unfused ones several") {
  const auto square_exp = kernel_counts("square_exp");
  CHECK(square_exp.at("fused") == 1);
  CHECK(square_exp.at("unfused") == 2);
  const auto mse = kernel_counts("mse");
  CHECK(mse.at("unfused") >= 3);
  CHECK(mse.at("reduction") >= 1);
  CHECK(mse.at("reduction") <= 2);
}

TEST_CASE("Every variant of prime_factor_sum is right at every edge", "[prime_factor_sum]") {
  const test::JobFolder folder = job_of("prime_factor_sum", fmt::format("{{n: [{}]}}", kNumbers));
  CHECK(run_all_right(folder).file.results.size() == 6 * 6);
}

TEST_CASE("Every variant of hillshade is right on models of every shape", "[hillshade]") {
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

TEST_CASE("hillshade is right on the real model, alone and tiled", "[hillshade]") {
  if (kIsSanitized) return;
  const test::JobFolder folder = job_of("hillshade", "{tile: [1, 2], altitude: [0, 90]}");
  CHECK(run_all_right(folder).file.results.size() == 4 * 5);
}

TEST_CASE("A flat model has no slope and the sun's own shade", "[hillshade]") {
  const test::JobFolder folder =
      job_of("hillshade", "{altitude: 30}",
             "inputs: {dem: {full: 0, value: 250, shape: [20, 30], dtype: int16}}\n");
  for (const ResultRecord& record : run_all_right(folder).file.results) {
    for (const float slope : values_of<float>(folder, record, "slope")) CHECK(slope == 0);
    for (const float shade : values_of<float>(folder, record, "shade"))
      CHECK(shade == Approx(0.5).epsilon(1e-5));
  }
}

// A tolerance that grew with the square of the number of steps accepted zeros, which makes results
// suspect.
TEST_CASE("The tolerance of a wave of many steps is far below its height", "[wave2d]") {
  if (kIsSanitized) return;
  run_all_right(job_of("wave2d", "{rows: 100, cols: 100, steps: 2000}", "variants: [raw]\n"));
}

TEST_CASE("The sums of prime factors up to a million are the known ones", "[prime_factor_sum]") {
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

TEST_CASE("The mean squared error of a constant difference is its square", "[mse]") {
  const test::JobFolder folder = job_of("mse", "{n: 1000, dtype: [float64]}",
                                        "inputs:\n  y_true: {full: 0, value: 2, shape: [1000]}\n"
                                        "  y_pred: {full: 0, value: -1.5, shape: [1000]}\n");
  for (const ResultRecord& record : run_all_right(folder).file.results)
    CHECK(values_of<double>(folder, record, "mse") == std::vector<double>{12.25});
}

}  // namespace
}  // namespace kernelbatch
