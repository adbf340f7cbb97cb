// Wrong results are detected: for every workload there are variants that are off by one, leave out
// the last element, have one element wrong by ten times its tolerance, a NaN in one element or a
// wrong operand. Runs the real command, on the device that KERNELBATCH_TEST_DEVICE names.
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const bool kRunsMutants = test::require_test_device();

constexpr const char* kMutations[] = {"off_by_one", "missing_last", "ten_tolerances", "nan",
                                      "wrong_operand"};

/// Small cases of every workload, by name.
const std::map<std::string, std::string> kSubjects{
    {"vector_add", "{n: 100}"},
    {"scaled_add", "{n: 100}"},
    {"clipped_relu", "{n: 100}"},
    {"abs2", "{n: 100}"},
    {"sin_exp", "{n: 100}"},
    {"square_exp", "{n: 100}"},
    {"complex_axpy", "{n: 100}"},
    {"add_reverse", "{n: 100}"},
    {"copy", "{n: 100}"},
    {"squared_diff", "{rows: 9, cols: 11}"},
    {"sum_of_products", "{rows: 9, cols: 50}"},
    {"l2norm", "{rows: 9, cols: 50}"},
    {"mse", "{n: 100}"},
    // Large enough that the order of the primes matters.
    {"prime_factor_sum", "{n: 10000}"},
    {"matmul", "{m: 9, n: 7, k: 20}"},
    {"csr_spmv", "{n: 100}"},
    {"diagonal_spmv", "{n: 100, offsets: \"-3 0 1\"}"},
    {"texture_resample", "{out_rows: 40, out_cols: 50}"},
    {"hillshade", "{tile: 1}"},
    {"gradient", "{rows: 30, cols: 31}"},
    {"wave2d", "{rows: 30, cols: 31, steps: 20}"},
    {"overlap", "{rows: 9, cols: 50, m: 12}"}};

TEST_CASE("Every workload has mutated variants") {
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_folder() + "/plugins")) {
    if (!entry.is_directory()) continue;
    CAPTURE(entry.path());
    CHECK(kSubjects.count(entry.path().filename()) == 1);
  }
}

TEST_CASE("Every wrong result of every workload is detected, and has no time") {
  for (const auto& [workload, params] : kSubjects) {
    CAPTURE(workload);
    ::setenv("KERNELBATCH_MUTATED", (test::build_folder() + "/plugins/" + workload + ".so").c_str(),
             1);
    std::string variants = "reference, jit";
    for (const char* mutation : kMutations) variants += std::string(", ") + mutation;
    const test::JobFolder folder(test::kShort + "workload: " + test::build_folder() +
                                 "/tests/mutant/mutant.so\nparams: " + params + "\nvariants: [" +
                                 variants + "]\n");

    const ProcessResult run = test::command({"run", folder.job()});

    INFO(run.output);
    CHECK(run.exit_status == 1);
    const ResultFile file = read_results(folder.results());
    CHECK(file.results.size() == 2 + std::size(kMutations));
    for (const ResultRecord& record : file.results) {
      CAPTURE(record.variant, record.reason);
      if (record.variant == "reference" || record.variant == "jit") {
        CHECK(record.status == Status::kOk);
        CHECK_FALSE(std::isnan(record.ranked_time()));
        continue;
      }
      // A mean or a total is a single element, which has no neighbour to confuse it with.
      if (record.variant == "off_by_one" && workload == "mse") {
        CHECK(record.status == Status::kOk);
        continue;
      }
      CHECK(record.status == Status::kVerificationFailed);
      CHECK_FALSE(record.verified);
      CHECK(std::isnan(record.ranked_time()));
      CHECK(record.samples.empty());
    }
  }
}

}  // namespace
}  // namespace kernelbatch
