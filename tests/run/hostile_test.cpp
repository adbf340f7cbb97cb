// Variants that damage shared state: their process, the run's files, the channel. Each costs only
// itself, through the real command.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "core/result/reader.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const bool kRunsHostile = test::require_test_device();

struct HostileRun {
  int exit_status = 0;
  std::string output;
  std::vector<ResultRecord> results;
  std::vector<std::string> left;  ///< other files next to the results

  const ResultRecord& of(const std::string& variant) const {
    for (const ResultRecord& record : results)
      if (record.variant == variant) return record;
    FAIL("no result of " << variant << " in\n" << output);
    return results.front();
  }
};

/// Two cases, each with a correct variant before and after `variant`.
HostileRun run_beside(const std::string& variant,
                      const std::string& limits = "timeout: 60s, retries: 0",
                      const std::string& plugin = "faulty", const std::string& before = "good") {
  std::string keys = test::kShort;
  keys += "workload: " + plugin + "\nparams: {n: [1000, 2000]}\nvariants: [reference, " + before +
          ", " + variant + ", good_again]\nlimits: {" + limits + "}\n";
  const test::JobFolder folder(keys);
  const fs::path temporary = folder.path() / "tmp";
  fs::create_directory(temporary);
  const test::EnvironmentVariable tmpdir("TMPDIR", temporary.string());
  const test::EnvironmentVariable shards("FAULTY_SHARDS", folder.results() + ".d");
  HostileRun outcome;
  const ProcessResult result = test::command({"run", folder.job()});
  outcome.exit_status = result.exit_status;
  outcome.output = result.output;
  INFO(variant << "\n" << result.output);
  REQUIRE(fs::exists(folder.results()));
  outcome.results = read_results(folder.results()).results;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    outcome.left.push_back(fs::relative(entry.path(), folder.path()).string());
  std::ranges::sort(outcome.left);
  return outcome;
}

/// Checks that the other variants of both cases are correct, and that nothing is left.
void check_others(const HostileRun& outcome, const std::string& variant) {
  CHECK(outcome.results.size() == 8);
  for (const ResultRecord& record : outcome.results) {
    CAPTURE(variant, record.variant, record.reason);
    if (record.variant == variant) continue;
    CHECK(record.status == Status::kOk);
    CHECK(record.verified);
  }
  CHECK(outcome.left == std::vector<std::string>{"job.yaml", "out.h5", "tmp"});
}

void check_fails(const std::string& variant, Status status, const std::string& reason,
                 const std::string& limits = "timeout: 60s, retries: 0") {
  const HostileRun outcome = run_beside(variant, limits);
  CAPTURE(variant, outcome.output);
  CHECK(outcome.exit_status == 3);
  for (const ResultRecord& record : outcome.results) {
    if (record.variant != variant) continue;
    CHECK(to_text(record.status) == to_text(status));
    CHECK(record.phase == Phase::kRun);
    CHECK_THAT(record.reason, Contains(reason));
    CHECK_FALSE(record.verified);
    CHECK(record.attempt == 1);
  }
  check_others(outcome, variant);
}

TEST_CASE("Only a variant that leaks descriptors or closes those of its worker fails") {
  check_fails("leaks_descriptors", Status::kFailed, "the variant left no descriptor free");
  check_fails("closes_standard", Status::kFailed, "the variant closed descriptor 0");
  for (const char* variant : {"closes_channel", "replaces_channel", "closes_all"})
    check_fails(variant, Status::kCrashed, "it closed its channel to the supervisor");
}

TEST_CASE("Only a variant that lowers a limit of its process fails") {
  check_fails("lowers_descriptors", Status::kFailed, "lowered the limit RLIMIT_NOFILE to 4");
  check_fails("lowers_file_size", Status::kFailed, "lowered the limit RLIMIT_FSIZE to 0");
  check_fails("lowers_time", Status::kFailed, "lowered the limit RLIMIT_CPU to 100");
#if !defined(KERNELBATCH_ASAN)
  check_fails("lowers_memory", Status::kFailed, "lowered the limit RLIMIT_AS to 1048576");
#endif
}

TEST_CASE("A variant's changes of its process affect no other, and its result is valid") {
  for (const char* variant :
       {"changes_folder", "changes_umask", "unsets_path", "sets_compiler", "changes_locale",
        "blocks_signals", "ignores_children", "sets_alarm", "changes_rounding"}) {
    const HostileRun outcome = run_beside(variant);
    CAPTURE(variant, outcome.output);
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.of(variant).status == Status::kOk);
    check_others(outcome, variant);
  }
}

/// Whether a process still runs; its number stands in a reason: "sleep (4711)".
bool is_running(const std::string& reason) {
  const std::size_t at = reason.rfind('(');
  REQUIRE(at != std::string::npos);
  return ::kill(std::stoi(reason.substr(at + 1)), 0) == 0;
}

TEST_CASE("A process that a variant leaves, in a session of its own, is named and ended") {
  const HostileRun failed = run_beside("leaves_process");
  CHECK(failed.exit_status == 3);
  CHECK(failed.of("leaves_process").status == Status::kFailed);
  CHECK_THAT(failed.of("leaves_process").reason, Contains("the variant left the process "));
  CHECK_FALSE(is_running(failed.of("leaves_process").reason));
  check_others(failed, "leaves_process");

  const HostileRun crashed = run_beside("leaves_process_and_aborts");
  const std::string reason = crashed.of("leaves_process_and_aborts").reason;
  CHECK_THAT(reason, Contains("killed by signal 6") && Contains("its child processes were ended"));
  CHECK_FALSE(is_running(reason));
  check_others(crashed, "leaves_process_and_aborts");
}

TEST_CASE("Only a variant that removes or replaces files of the run fails") {
  check_fails("removes_lock", Status::kFailed, "removed or replaced '");
  check_fails("replaces_lock", Status::kFailed, "removed or replaced '");
  const HostileRun unseen =
      run_beside("replaces_lock", "timeout: 60s, retries: 0", "faulty", "stops_supervisor");
  CAPTURE(unseen.output);
  check_others(unseen, "replaces_lock");
  for (const ResultRecord& record : unseen.results)
    if (record.variant == "replaces_lock") CHECK(record.status == Status::kFailed);
  check_fails("removes_temporary", Status::kFailed, "removed the folder for temporary files");
  // Outputs to be stored have no name that could be removed.
  const HostileRun outcome = run_beside("removes_outputs");
  CHECK(outcome.exit_status == 0);
  check_others(outcome, "removes_outputs");
}

TEST_CASE("Stored results that a variant removed are reported, and the run ends with 6") {
  const HostileRun outcome = run_beside("removes_folder");
  CAPTURE(outcome.output);
  CHECK(outcome.exit_status == 6);
  CHECK_THAT(outcome.output, Contains("was deleted after it was stored"));
  // The first stored case is gone; the second is complete.
  CHECK(outcome.results.size() == 4);
  CHECK(outcome.of("removes_folder").status == Status::kFailed);
  CHECK(outcome.of("good_again").status == Status::kOk);
}

TEST_CASE("A variant that removes its plugin's file is reported") {
  const test::TemporaryFolder folder;
  const fs::path copy = folder / "faulty.so";
  fs::copy_file(test::test_plugins() + "/faulty.so", copy);
  const test::EnvironmentVariable file("FAULTY_PLUGIN", copy.string());
  const HostileRun outcome =
      run_beside("removes_plugin", "retries: 0", "\"" + copy.string() + "\"");
  CHECK(outcome.exit_status == 3);
  // The second case finds no plugin at all.
  CHECK(std::ranges::any_of(outcome.results, [&](const ResultRecord& record) {
    return record.reason == "the variant changed the file '" + copy.string() + "'";
  }));
}

TEST_CASE("A variant's data on its worker's channel are rejected, and it fails") {
  const std::string reason = "a message that the worker did not send came over its channel";
  // A forged message that it is correct, although it is not; with retries, which it does not get.
  check_fails("forges_result", Status::kFailed, reason, "timeout: 60s, retries: 3");
  check_fails("writes_to_channel", Status::kFailed, reason, "timeout: 60s, retries: 3");
  check_fails("says_enormous", Status::kFailed, reason);
}

TEST_CASE("A variant that uses its worker's key costs only itself") {
  check_fails("says_garbage", Status::kCrashed, "cannot be read");
  check_fails("says_wrong_choice", Status::kCrashed, "a choice that does not exist");
  check_fails("says_unasked", Status::kCrashed, "it answered a request that was not sent");
  check_fails("says_other_result", Status::kCrashed, "a result of variant");
  check_fails("says_result_of_good", Status::kCrashed, "a result of variant 'good' of case 'x'");
  check_fails("begins_again", Status::kCrashed, "it restarted its case");
  check_fails("floods_turns", Status::kCrashed, "");
  check_fails("says_done", Status::kCrashed, "ended the case without a result");
  check_fails("says_outputs", Status::kCrashed, "names 1 outputs and contains 0 files");
  check_fails("says_no_device", Status::kFailed, "there is no device");
  check_fails("says_full_disk", Status::kFailed, "the disk is full");
}

TEST_CASE("A variant with an endless message, or endless messages, is timed out") {
  run_beside("misses_nothing");  // compiles, so that the short limit is not spent there
  for (const char* variant : {"says_half", "floods_channel", "floods_output"})
    check_fails(variant, Status::kTimedOut, "still running after 10 s", "timeout: 10s, retries: 0");
}

}  // namespace
}  // namespace kernelbatch
