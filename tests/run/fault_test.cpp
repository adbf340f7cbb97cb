// All failures of a variant, through the real command: what is recorded, and that other variants
// are unaffected.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "core/array/compare.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const bool kHasDevice = test::require_test_device();
const bool kIsHost = test::test_device() == "host";

struct FaultyRun {
  int exit_status = 0;
  std::string output;
  ResultFile file;

  const ResultRecord& of(const std::string& variant) const {
    for (const ResultRecord& record : file.results)
      if (record.variant == variant) return record;
    FAIL("no result of " << variant << " in\n" << output);
    return file.results.front();
  }
};

/// Runs `faulty` with some of its variants; `more` is further text of the job.
FaultyRun run_faulty(const test::JobFolder& folder) {
  const ProcessResult result = test::command({"run", folder.job()});
  INFO(result.output);
  REQUIRE(fs::exists(folder.results()));
  return {result.exit_status, result.output, read_results(folder.results())};
}

/// `measure` are keys of `measure:`, each with a comma behind it.
test::JobFolder faulty_job(const std::string& variants, const std::string& more = "",
                           const std::string& measure = "") {
  std::string keys = test::kShort;
  keys.insert(keys.find("{preset") + 1, measure);
  return test::JobFolder(keys + "workload: faulty\nvariants: [" + variants + "]\n" + more);
}

/// The same, with the device calibrated first, which takes seconds.
test::JobFolder calibrated_job(const std::string& variants) {
  std::string keys = test::kShort;
  const std::string_view off = "calibrate: false, ";
  keys.erase(keys.find(off), off.size());
  return test::JobFolder(keys + "workload: faulty\nvariants: [" + variants + "]\n");
}

FaultyRun run_faulty(const std::string& variants, const std::string& more = "",
                     const std::string& measure = "") {
  return run_faulty(faulty_job(variants, more, measure));
}

void check_good(const ResultRecord& record) {
  CAPTURE(record.variant, record.reason);
  CHECK(record.status == Status::kOk);
  CHECK(record.verified);
  CHECK(record.ranked_time() > 0);
  CHECK(record.reason.empty());
}

/// A wrong result: no time is ranked.
void check_bad(const ResultRecord& record, Status status, Phase phase, const std::string& reason) {
  CAPTURE(record.variant);
  CHECK(to_text(record.status) == to_text(status));
  CHECK(record.phase == phase);
  CHECK_THAT(record.reason, Contains(reason));
  CHECK_FALSE(record.verified);
  CHECK(std::isnan(record.ranked_time()));
}

TEST_CASE("A failure of gathering evidence never costs the result") {
  const test::JobFolder folder(
      "device: " + test::test_device() +
      "\nmeasure: {preset: quick, calibrate: false, counters: off, twins: auto, "
      "stop: {noise: 0, min_samples: 500, max_samples: 500}}\n"
      "workload: faulty\nvariants: [reference, aborts_as_twin, throws_as_twin, good_again]\n");
  const FaultyRun outcome = run_faulty(folder);

  INFO(outcome.output);
  CHECK(outcome.exit_status == 0);
  for (const char* variant : {"reference", "aborts_as_twin", "throws_as_twin", "good_again"})
    check_good(outcome.of(variant));
  CHECK_THAT(to_text(outcome.of("aborts_as_twin").notes),
             Contains("no evidence: gathering it ended the worker: killed by signal 6 (Aborted)"));
  CHECK(outcome.of("aborts_as_twin").attempt == 1);
  CHECK_THAT(to_text(outcome.of("throws_as_twin").notes),
             Contains("no evidence: it knows that it is a twin"));
}

TEST_CASE("Wrong outputs are each recorded with their own reason, and the others are unaffected") {
  const FaultyRun outcome = run_faulty(
      "reference, good, out_of_bounds, out_of_bounds_before, never_writes, misses_last, "
      "off_by_one, one_nan, slightly_wrong, good_again");

  CHECK(outcome.exit_status == 1);
  const auto wrong = [&](const std::string& variant, const std::string& reason) {
    check_bad(outcome.of(variant), Status::kVerificationFailed, Phase::kVerify, reason);
  };
  check_good(outcome.of("reference"));
  check_good(outcome.of("good"));
  wrong("out_of_bounds", "wrote 1 element (4 bytes) past the end of 'y' (1000 elements)");
  wrong("out_of_bounds_before", "wrote 1 element (4 bytes) before the beginning of 'y'");
  wrong("never_writes", "output 'y': 1000 of 1000 elements were never written");
  wrong("misses_last", "1 of 1000 elements were never written; first wrong one at [999]");
  wrong("off_by_one", "1000 of 1000 elements are wrong (rtol=1e-06 atol=0); first at [0]: got 1.5");
  wrong("one_nan", "1 of 1000 elements are wrong (rtol=1e-06 atol=0); first at [500]: got nan");
  wrong("slightly_wrong",
        "1 of 1000 elements are wrong (rtol=1e-06 atol=0); first at [500]: got 251");
  check_good(outcome.of("good_again"));
  for (const char* variant :
       {"out_of_bounds", "out_of_bounds_before", "never_writes", "misses_last", "one_nan"}) {
    CAPTURE(variant);
    REQUIRE(outcome.of(variant).outputs.size() == 1);
    const OutputRecord& output = outcome.of(variant).outputs[0];
    for (const double error :
         {output.max_abs_err, output.max_rel_err, output.max_ulp, output.rms_err})
      CHECK(std::isnan(error));
  }
  CHECK(outcome.of("slightly_wrong").outputs.at(0).max_abs_err > 0);
  CHECK_THAT(outcome.output, !Contains("out_of_bounds  exact"));
}

TEST_CASE("A worker that dies costs one variant, reported with its signal and last lines") {
  const FaultyRun outcome = run_faulty(
      "reference, good, traps, segfaults, aborts, exits, good_again", "limits: {retries: 0}\n");

  CHECK(outcome.exit_status == 3);
  check_good(outcome.of("reference"));
  check_good(outcome.of("good"));
  check_bad(outcome.of("traps"), Status::kCrashed, Phase::kRun,
            kIsHost ? "killed by signal 4 (Illegal instruction)" : "launch");
  check_bad(outcome.of("segfaults"), Status::kCrashed, Phase::kRun,
            "killed by signal 11 (Segmentation fault)");
  CHECK_THAT(outcome.of("segfaults").detail, Contains("about to follow a null pointer"));
  check_bad(outcome.of("aborts"), Status::kCrashed, Phase::kRun, "killed by signal 6 (Aborted)");
  check_bad(outcome.of("exits"), Status::kCrashed, Phase::kLaunch, "exit code 0");
  check_good(outcome.of("good_again"));
}

TEST_CASE("limits.isolate sets the lifetime of a healthy worker") {
  const auto right = [](const std::string& isolate) {
    const FaultyRun outcome = run_faulty(
        "reference, once, once_again",
        "params: {n: [10, 20]}\nverify: {input_sets: 1}\nlimits: {" + isolate + "retries: 0}\n");
    std::map<std::string, int> count;
    for (const ResultRecord& record : outcome.file.results) {
      CHECK((record.status == Status::kOk || record.status == Status::kFailed));
      if (record.status == Status::kOk) ++count[record.variant];
    }
    CHECK(outcome.file.results.size() == 6);
    return count;
  };
  using Counts = std::map<std::string, int>;
  // The same function implements both variants, and throws the second time.
  CHECK(right("") == Counts{{"reference", 2}, {"once", 1}});
  CHECK(right("isolate: none, ") == Counts{{"reference", 2}, {"once", 1}});
  CHECK(right("isolate: case, ") == Counts{{"reference", 2}, {"once", 2}});
  CHECK(right("isolate: variant, ") == Counts{{"reference", 2}, {"once", 2}, {"once_again", 2}});
}

TEST_CASE("Only an isolated variant crashes, and the rest of its case is run") {
  const FaultyRun outcome = run_faulty("reference, segfaults, good, aborts, good_again",
                                       "limits: {isolate: variant, retries: 1}\n");
  CHECK(outcome.exit_status == 3);
  CHECK(outcome.of("segfaults").status == Status::kCrashed);
  CHECK(outcome.of("segfaults").attempt == 2);
  CHECK(outcome.of("aborts").status == Status::kCrashed);
  for (const char* variant : {"reference", "good", "good_again"}) check_good(outcome.of(variant));
  CHECK(outcome.of("good").speedup > 0);
}

TEST_CASE("Memory that is not the kernel's, or not aligned, costs one variant") {
  // A processor does not mind the misaligned store: there the result is just wrong.
  const FaultyRun outcome = run_faulty("reference, good, illegal_address, misaligned, good_again",
                                       "limits: {retries: 0}\n");

  check_good(outcome.of("good"));
  check_bad(outcome.of("illegal_address"), Status::kCrashed, Phase::kRun,
            kIsHost ? "killed by signal 11 (Segmentation fault)" : "illegal");
  if (kIsHost)
    CHECK(outcome.of("misaligned").status != Status::kOk);
  else
    check_bad(outcome.of("misaligned"), Status::kCrashed, Phase::kRun, "misaligned");
  check_good(outcome.of("good_again"));
}

TEST_CASE("A variant that corrupts its worker's heap costs only itself") {
  const FaultyRun outcome =
      run_faulty("reference, good, corrupts_heap, good_again", "limits: {retries: 0}\n");
  CHECK(outcome.exit_status == 3);
#if defined(KERNELBATCH_ASAN)
  const char* const end = "exit code 1";  // the sanitizer finds it first
#else
  const char* const end = "killed by signal 6 (Aborted)";
#endif
  check_bad(outcome.of("corrupts_heap"), Status::kCrashed, Phase::kRun, end);
  check_good(outcome.of("good"));
  check_good(outcome.of("good_again"));
}

TEST_CASE("A variant that takes all of the host's memory costs only itself") {
  if (!kIsHost) return;  // a GPU's driver needs more address space than a limit can leave
#if !defined(KERNELBATCH_ASAN)
  const test::JobFolder folder =
      faulty_job("reference, good, fills_memory, good_again", "limits: {retries: 0}\n");
  test::set_environment();
  const ProcessResult result =
      run_process({"bash", "-c", "ulimit -v 2000000; exec \"$0\" run \"$1\"", test::executable(),
                   folder.job()});
  const FaultyRun outcome{result.exit_status, result.output, read_results(folder.results())};
  CHECK(outcome.exit_status == 3);
  check_bad(outcome.of("fills_memory"), Status::kOutOfMemory, Phase::kRun, "memory");
  check_good(outcome.of("good"));
  check_good(outcome.of("good_again"));
#endif
}

TEST_CASE("Processes of a worker end with it") {
  const FaultyRun outcome =
      run_faulty("reference, aborts_with_child, good", "limits: {retries: 0}\n");

  const ResultRecord& record = outcome.of("aborts_with_child");
  check_bad(record, Status::kCrashed, Phase::kRun, "killed by signal 6 (Aborted)");
  const auto at = record.detail.find("child ");
  REQUIRE(at != std::string::npos);
  const std::string proc = "/proc/" + std::to_string(std::stoi(record.detail.substr(at + 6)));
  // Dead, but perhaps not yet reaped by its new parent.
  std::string state;
  std::getline(std::ifstream(proc + "/stat"), state);
  CHECK((state.empty() || state.find(") Z ") != std::string::npos));
  check_good(outcome.of("good"));
}

/// Compiles first, so that a short limits.timeout is not spent in the compiler.
void compile_kernels() { check_good(run_faulty("reference, good").of("good")); }

TEST_CASE("A variant that hangs is ended after limits.timeout") {
  compile_kernels();
  const FaultyRun outcome = run_faulty("reference, hangs, good", "limits: {timeout: 10s}\n");

  CHECK(outcome.exit_status == 3);
  check_bad(outcome.of("hangs"), Status::kTimedOut, Phase::kRun,
            "still running after 10 s (limits.timeout)");
  check_good(outcome.of("good"));
}

TEST_CASE("A variant that throws costs no worker") {
  const FaultyRun outcome = run_faulty(
      "reference, throws, throws_int, allocates_too_much, no_work, unknown_output, "
      "compile_error, unsupported, good");

  CHECK(outcome.exit_status == 3);
  check_bad(outcome.of("throws"), Status::kFailed, Phase::kLaunch, "thrown on purpose");
  CHECK(outcome.of("throws").reason.find("second line") == std::string::npos);
  check_bad(outcome.of("throws_int"), Status::kFailed, Phase::kLaunch, "no std::exception");
  check_bad(outcome.of("allocates_too_much"), Status::kOutOfMemory, Phase::kLaunch, "8.00 PiB");
  check_bad(outcome.of("no_work"), Status::kFailed, Phase::kLaunch,
            "the variant returned no work: it must return a callable");
  check_bad(outcome.of("unknown_output"), Status::kFailed, Phase::kLaunch,
            "the workload declares no output 'zz'; its outputs: 'y'");
  check_bad(outcome.of("compile_error"), Status::kCompileFailed, Phase::kCompile, "broken");
  CHECK_THAT(outcome.of("compile_error").detail, Contains("error"));
  check_bad(outcome.of("unsupported"), Status::kSkipped, Phase::kLaunch,
            "needs a device from the future");
  check_good(outcome.of("good"));
}

TEST_CASE("Work that allocates device memory in every call fails with advice") {
  const FaultyRun outcome = run_faulty("reference, allocates, takes_scratch, allocates_once, good");

  CHECK(outcome.exit_status == 3);
  for (const std::string variant : {"allocates", "takes_scratch"}) {
    CAPTURE(variant);
    const ResultRecord& record = outcome.of(variant);
    CHECK(record.status == Status::kFailed);
    CHECK_THAT(record.reason, Contains("allocates device memory in every call") &&
                                  Contains("allocate it with run.scratch()"));
    CHECK(std::isnan(record.cold.median));
  }
  check_good(outcome.of("allocates_once"));
  check_good(outcome.of("good"));
}

TEST_CASE("A variant that fails during interleaved timing costs no other its time") {
  for (const std::string interleave : {"true", "false"}) {
    const FaultyRun outcome =
        run_faulty("reference, good, aborts_later, throws_later, good_again",
                   "limits: {retries: 0}\n", "interleave: " + interleave + ", ");
    CAPTURE(interleave);
    CHECK(outcome.exit_status == 3);
    check_good(outcome.of("reference"));
    check_good(outcome.of("good"));
    check_bad(outcome.of("aborts_later"), Status::kCrashed, Phase::kMeasure,
              "killed by signal 6 (Aborted)");
    check_bad(outcome.of("throws_later"), Status::kFailed, Phase::kMeasure, "not the first run");
    check_good(outcome.of("good_again"));
  }
}

TEST_CASE("A variant that does not fit into memory with the others is timed after them") {
  // Two outputs of 4000 bytes fit, three do not.
  const FaultyRun outcome = run_faulty("reference, good, good_again, off_by_one, misses_nothing",
                                       "limits: {memory: 9000 B}\n");
  check_good(outcome.of("good"));
  check_good(outcome.of("good_again"));
  check_good(outcome.of("misses_nothing"));
  CHECK(outcome.of("off_by_one").status == Status::kVerificationFailed);
}

TEST_CASE("Every result records its launches and its share of the ceiling") {
  const FaultyRun outcome = run_faulty(calibrated_job("reference, good, good_again"));
  for (const std::string variant : {"good", "good_again"}) {
    const ResultRecord& record = outcome.of(variant);
    CAPTURE(to_text(record.notes));
    CHECK(record.kernel_launches == 1);
    REQUIRE(record.launches.size() == 1);
    CHECK(record.launches[0].kernel == "good");
    CHECK(record.launches[0].block[0] == 64);
    CHECK(record.ceiling > 1e8);
    CHECK(record.share_of_ceiling() > 0);
  }
  CHECK(outcome.of("reference").kernel_launches == -1);
  REQUIRE(outcome.file.calibration.size() == 1);
  CHECK(outcome.file.calibration[0].device == outcome.of("good").device);
  CHECK(outcome.file.calibration[0].copy_bandwidth > 1e8);
}

TEST_CASE("A reference that took long is not run again for the same inputs") {
  const test::TemporaryFolder cache;
  const test::EnvironmentVariable folder("KERNELBATCH_CACHE_DIR", cache.path().string());
  const auto run_good = [](int n = 321) {
    return run_faulty("good", "params: {n: " + std::to_string(n) + "}\nverify: {input_sets: 1}\n");
  };
  {
    const test::EnvironmentVariable slow("FAULTY_REFERENCE_IS_SLOW", "1");
    check_good(run_good().of("good"));
  }
  CHECK(fs::exists(cache / "references"));
  const test::EnvironmentVariable aborts("FAULTY_REFERENCE_ABORTS", "1");
  check_good(run_good().of("good"));
  // With other inputs, or without a cache, it must run.
  CHECK(run_good(322).of("good").status == Status::kCrashed);
  const test::EnvironmentVariable off("KERNELBATCH_REFERENCE_CACHE", "0");
  CHECK(run_good().of("good").status == Status::kCrashed);
}

TEST_CASE("Outputs can be verified against a file") {
  const test::JobFolder folder = faulty_job("reference, off_by_one");
  const FaultyRun first = run_faulty(folder);
  const auto against = [&](const std::string& variant, const std::string& more = "") {
    return run_faulty("reference, good", more + "verify: {reference: {file: \"" + folder.results() +
                                             "\", dataset: /outputs/" +
                                             first.of("reference").case_id + "/" + variant +
                                             "/y}}\n");
  };
  const FaultyRun right = against("reference");
  CHECK(right.exit_status == 0);
  check_good(right.of("good"));
  check_good(right.of("reference"));
  const FaultyRun wrong = against("off_by_one");
  CHECK(wrong.exit_status == 1);
  check_bad(wrong.of("good"), Status::kVerificationFailed, Phase::kVerify, "1000 of 1000 elements");
  CHECK(wrong.of("reference").status == Status::kVerificationFailed);
  const FaultyRun other = against("reference", "params: {n: 10}\n");
  CHECK(other.exit_status != 0);
  CHECK_THAT(other.of("good").reason, Contains("the reference has shape (1000,)"));

  const test::JobFolder missing(test::kShort +
                                "workload: faulty\nverify: {reference: {file: nowhere.npy}}\n");
  const ProcessResult refused = test::command({"run", missing.job()});
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.output, Contains("job.yaml:") && Contains("there is no file 'nowhere.npy'"));
}

TEST_CASE("The bound of a reduction needs terms, which the workload must give") {
  const FaultyRun outcome =
      run_faulty("reference, good", "verify: {tolerance: {mode: reduction}}\n");
  CHECK_THAT(outcome.of("good").reason,
             Contains("job.yaml:") && Contains("does not declare the number of terms"));
}

TEST_CASE("A run for a profiler is a few verified runs of every variant, and nothing else") {
  const test::JobFolder folder = calibrated_job("reference, good, off_by_one");
  const ProcessResult result = test::command({"run", "--profile", folder.job()});
  CHECK(result.exit_status == 1);
  const FaultyRun outcome{result.exit_status, result.output, read_results(folder.results())};
  check_good(outcome.of("good"));
  CHECK(outcome.of("good").cold.samples == 3);
  CHECK(outcome.of("off_by_one").status == Status::kVerificationFailed);
  CHECK(outcome.file.calibration.empty());
}

TEST_CASE("A variant that the device cannot run does not fail the job") {
  CHECK(run_faulty("reference, unsupported, good").exit_status == 0);
}

TEST_CASE("Crashes are tried again, wrong results are not") {
  const FaultyRun twice = run_faulty("reference, aborts", "limits: {retries: 2}\n");
  const FaultyRun wrong = run_faulty("reference, never_writes", "limits: {retries: 2}\n");

  CHECK(twice.of("aborts").attempt == 3);
  CHECK(wrong.of("never_writes").attempt == 1);
}

TEST_CASE("Without a reference nothing is verified, and so nothing is timed") {
  ::setenv("FAULTY_REFERENCE_ABORTS", "1", 1);
  const FaultyRun listed = run_faulty("reference, good, good_again", "limits: {retries: 0}\n");
  const FaultyRun unlisted = run_faulty("good, good_again", "limits: {retries: 0}\n");
  ::unsetenv("FAULTY_REFERENCE_ABORTS");

  CHECK(listed.exit_status == 3);
  CHECK(unlisted.exit_status == 3);
  check_bad(listed.of("reference"), Status::kCrashed, Phase::kLaunch,
            "killed by signal 6 (Aborted)");
  check_bad(listed.of("good"), Status::kCrashed, Phase::kLaunch,
            "the reference 'reference' failed");
  check_bad(unlisted.of("good"), Status::kCrashed, Phase::kLaunch,
            "the reference 'reference' failed");
  check_bad(unlisted.of("good_again"), Status::kCrashed, Phase::kLaunch,
            "the reference 'reference' failed");
}

TEST_CASE("A wrong variant as reference makes every correct one wrong, not itself") {
  const FaultyRun outcome =
      run_faulty("reference, good, off_by_one", "verify: {reference: off_by_one}\n");
  CHECK(outcome.exit_status == 1);
  CHECK(outcome.of("off_by_one").status == Status::kOk);
  CHECK(outcome.of("good").status == Status::kVerificationFailed);
}

TEST_CASE("More memory than the device has is refused before anything is allocated") {
  const FaultyRun outcome = run_faulty("reference, good", "params: {n: 1e12}\n");

  CHECK(outcome.exit_status == 3);
  check_bad(outcome.of("reference"), Status::kOutOfMemory, Phase::kInputs,
            "the case needs at least 3.64 TiB");
  check_bad(outcome.of("good"), Status::kOutOfMemory, Phase::kInputs, "limits.memory is 80%");
}

TEST_CASE("limits.memory applies to the needs of a case") {
  const FaultyRun outcome =
      run_faulty("reference, good", "params: {n: [1000, 2000]}\nlimits: {memory: 6000 B}\n");
  REQUIRE(outcome.file.results.size() == 4);
  for (const ResultRecord& record : outcome.file.results) {
    const bool fits = std::get<std::int64_t>(*find_value(record.params, "n")) == 1000;
    CAPTURE(record.variant, record.reason);
    CHECK((record.status == Status::kOk) == fits);
  }
}

TEST_CASE("Outputs that do not fit into memory are refused if the workload declares no needs") {
  const test::JobFolder folder(test::kShort +
                               "workload: hillshade\nvariants: [reference, jit, raw]\n"
                               "limits: {memory: 1000 KB}\n");
  const FaultyRun outcome = run_faulty(folder);
  CHECK(outcome.exit_status == 3);
  check_bad(outcome.of("reference"), Status::kOutOfMemory, Phase::kInputs,
            "needs at least 1.06 MiB");
  check_bad(outcome.of("raw"), Status::kOutOfMemory, Phase::kInputs, "needs at least 1.06 MiB");
}

TEST_CASE("Arrays that do not fit on the device are processed in chunks, if a kernel can do that") {
  const test::JobFolder folder(test::kShort +
                               "workload: mse\nparams: {n: 1e6, dtype: float64}\n"
                               "limits: {memory: 4 MB}\n");
  const FaultyRun outcome = run_faulty(folder);
  CHECK(outcome.exit_status == 3);
  for (const char* variant : {"reduction", "fused"}) {
    CAPTURE(variant, outcome.of(variant).reason);
    CHECK(outcome.of(variant).status == Status::kOk);
    CHECK(outcome.of(variant).verified);
    CHECK_THAT(to_text(outcome.of(variant).notes),
               Contains("15.3 MiB pass through the device in pieces"));
  }
  CHECK(outcome.of("reference").status == Status::kOk);
  check_bad(outcome.of("raw"), Status::kOutOfMemory, Phase::kLaunch,
            "limits.memory allows 3.81 MiB");
  check_bad(outcome.of("elementwise"), Status::kOutOfMemory, Phase::kRun,
            "raw argument 'y_true' of 'mse_squares' does not fit on the device");
}

TEST_CASE("Arrays no larger than the chunk buffers are not staged") {
  const test::JobFolder folder(test::kShort +
                               "workload: mse\nparams: {n: 1000, dtype: float64}\n"
                               "variants: [reference, reduction]\nlimits: {memory: 6000 B}\n");
  check_bad(run_faulty(folder).of("reduction"), Status::kOutOfMemory, Phase::kLaunch,
            "needs 7.81 KiB on the device, limits.memory allows 5.86 KiB");
}

TEST_CASE("Outputs that do not fit on the device are written in chunks, and verified") {
  const test::JobFolder folder(test::kShort +
                               "workload: vector_add\nparams: {n: 1e6, dtype: float64}\n"
                               "variants: [reference, elementwise]\nlimits: {memory: 2 MB}\n");
  const FaultyRun outcome = run_faulty(folder);
  CAPTURE(outcome.of("elementwise").reason);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.of("elementwise").verified);
  CHECK_THAT(to_text(outcome.of("elementwise").notes),
             Contains("22.9 MiB pass through the device in pieces"));
}

TEST_CASE("A failed case does not affect the cases after it") {
  const FaultyRun outcome = run_faulty("reference, good", "params: {n: [10, 1e12, 33]}\n");
  int good = 0;
  for (const ResultRecord& record : outcome.file.results) good += record.status == Status::kOk;
  CHECK(good == 4);
  CHECK(outcome.file.results.size() == 6);
}

TEST_CASE("A run leaves one file and nothing else, whatever failed") {
  compile_kernels();
  const test::JobFolder folder =
      faulty_job("reference, good, aborts, never_writes, hangs", "limits: {timeout: 10s}\n");
  run_faulty(folder);
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    left.push_back(fs::relative(entry.path(), folder.path()).string());
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{"job.yaml", "out.h5"});
}

TEST_CASE("Outputs of correct and of wrong variants are stored together") {
  const test::JobFolder folder = faulty_job("reference, good, off_by_one");
  const FaultyRun outcome = run_faulty(folder);
  const std::string id = outcome.of("good").case_id;

  const StoredOutput good = read_output(folder.results(), id, "good", "y");
  const StoredOutput wrong = read_output(folder.results(), id, "off_by_one", "y");

  CHECK(good.bytes == read_output(folder.results(), id, "reference", "y").bytes);
  CHECK(good.bytes != wrong.bytes);
}

TEST_CASE("Only failing outputs are stored if the job requests it") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nvariants: [reference, good, off_by_one]\n");
  REQUIRE(test::command({"run", folder.job(), "-s", "output.arrays=failing"}).exit_status == 1);
  const std::string id = read_results(folder.results()).results.front().case_id;
  CHECK_THROWS(read_output(folder.results(), id, "good", "y"));
  CHECK(read_output(folder.results(), id, "off_by_one", "y").bytes.size() == 4000);
}

TEST_CASE("Outputs of a later wrong call are stored as that call left them") {
  // The first call is right; the second one writes past the end, or leaves the rest as it was.
  for (const std::string later : {"y[n] = 7.0f", "return"}) {
    const test::JobFolder folder(test::kShort + R"(
workload: inline
params: {n: 1000}
inputs: {x: {random: uniform, shape: [n], dtype: float32, seed: 3}}
outputs: {y: {shape: [n], dtype: float32}}
variants:
  later:
    kind: raw
    source: |
      __device__ int calls;
      extern "C" __global__ void later(const float* x, float* y, int n) {
        for (int k = 0; k < n; ++k) if (calls == 0 || k < 500) y[k] = 2 * x[k];
        if (calls++ > 0) )" + later +
                                 R"(;
      }
    entry: later
    grid: 1
    block: 1
    args: [x, y, {scalar: n, dtype: int32}]
reference: {cpp: "for (long long k = 0; k < n; ++k) y[k] = 2 * x[k];"}
)");
    const ProcessResult run = test::command({"run", folder.job(), "-s", "output.arrays=failing"});
    INFO(run.output);
    REQUIRE(run.exit_status == 1);
    const ResultRecord result = read_results(folder.results()).results.back();
    CHECK(result.variant == "later");
    CHECK(result.status == Status::kVerificationFailed);
    const StoredOutput stored = read_output(folder.results(), result.case_id, "later", "y");
    REQUIRE(stored.bytes.size() == 4000);
    float last = 0;
    std::memcpy(&last, stored.bytes.data() + 3996, sizeof last);
    // A sentinel: this call did not write it.
    CHECK((std::isnan(last) || std::bit_cast<std::uint32_t>(last) == kNumericSentinel));
  }
}

}  // namespace
}  // namespace kernelbatch
