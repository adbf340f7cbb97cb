// The passes of a case, and how their results are merged.
#include <cmath>

#include "core/run/pass.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

struct Setting {
  RunPurpose purpose{.device = "cuda:1"};
  JobSpec job;
  PlannedWorkload workload;
  Setting() { job.measure.processes = 1; }
  std::vector<Pass> passes() const { return passes_of(purpose, job, workload, {"raw", "jit"}); }
};

std::string text_of(const std::vector<Pass>& passes) {
  std::string text;
  for (const Pass& pass : passes) {
    text += pass.kind == PassKind::kChecks  ? "checks"
            : pass.kind == PassKind::kTimes ? "times"
                                            : "more " + std::to_string(pass.process);
    text += " on " + pass.device;
    if (!pass.checks.empty()) text += " " + pass.checks;
    if (pass.tool) text += " tool " + std::string(name_of(*pass.tool));
    for (const std::string& variant : pass.variants) text += " " + variant;
    text += "\n";
  }
  return text;
}

TEST_CASE("A case is timed once, or once in each process") {
  Setting setting;
  CHECK(text_of(setting.passes()) == "times on cuda:1\n");
  setting.job.measure.processes = 3;
  CHECK(text_of(setting.passes()) == "times on cuda:1\nmore 2 on cuda:1\nmore 3 on cuda:1\n");
  setting.purpose.is_profile = true;
  CHECK(text_of(setting.passes()) == "times on cuda:1\n");
}

TEST_CASE("verify.sanitize adds a pass on the host before the times") {
  Setting setting;
  setting.workload.spec.verify.sanitize = {CheckKind::kMemory, CheckKind::kRace};
  CHECK(text_of(setting.passes()) == "checks on host memory,race\ntimes on cuda:1\n");
  setting.purpose.is_profile = true;
  CHECK(text_of(setting.passes()) == "times on cuda:1\n");
}

TEST_CASE("--sanitize replaces the times") {
  Setting setting;
  setting.job.measure.processes = 3;
  setting.workload.spec.verify.sanitize = {CheckKind::kSync};
  setting.purpose.sanitize.kinds = {CheckKind::kRace, CheckKind::kMemory};
  CHECK(text_of(setting.passes()) == "times on cuda:1 memory,race\n");
  setting.purpose.sanitize.place = CheckPlace::kBoth;
  CHECK(text_of(setting.passes()) ==
        "checks on host memory,race raw jit\n"
        "checks on cuda:1 memory,race tool memory raw\n"
        "checks on cuda:1 memory,race tool race raw\n"
        "checks on cuda:1 memory,race tool memory jit\n"
        "checks on cuda:1 memory,race tool race jit\n");
  setting.purpose.sanitize.place = CheckPlace::kGpu;
  CHECK(setting.passes().size() == 4);
}

TEST_CASE("Only verify.on_fail lets a wrong result end a pass") {
  Setting setting;
  CHECK_FALSE(setting.passes().front().stops_on_failure);
  setting.workload.spec.verify.on_fail = OnFail::kStopCase;
  CHECK(setting.passes().front().stops_on_failure);
}

ResultRecord with_status(Status status, const std::string& reason) {
  ResultRecord record;
  record.variant = "raw";
  record.status = status;
  record.reason = reason;
  record.findings.emplace_back().what = reason;
  return record;
}

TEST_CASE("The first failure of several checks counts, and all findings are kept") {
  ResultRecord known = with_status(Status::kOk, "a");
  merge_checks(known, with_status(Status::kOk, "b"));
  CHECK(known.status == Status::kOk);
  merge_checks(known, with_status(Status::kCrashed, "c"));
  merge_checks(known, with_status(Status::kTimedOut, "d"));
  CHECK(known.status == Status::kCrashed);
  CHECK(known.reason == "c");
  REQUIRE(known.findings.size() == 4);
  CHECK(known.findings[0].what == "a");
  CHECK(known.findings[3].what == "d");
}

ResultRecord timed(std::initializer_list<double> times) {
  ResultRecord record = with_status(Status::kOk, "");
  record.processes = 1;
  record.checked_calls = 4;
  record.verified = true;
  for (const double time : times) record.samples.push_back({.time = time});
  return record;
}

TEST_CASE("Samples of further processes are pooled") {
  ResultRecord known = timed({1, 2, 3});
  merge_times(known, timed({10, 11}), "in process 2 of 2");
  CHECK(known.processes == 2);
  CHECK(known.checked_calls == 8);
  REQUIRE(known.samples.size() == 5);
  CHECK(known.samples[2].process == 0);
  CHECK(known.samples[3].process == 1);
  CHECK(known.cold.median == 3);
  CHECK(known.cold.samples == 5);
}

TEST_CASE("A later process may invalidate a result; its environment may not") {
  ResultRecord known = timed({1});
  ResultRecord no_memory = with_status(Status::kFailed, "no compiler");
  no_memory.retryable = true;
  merge_times(known, no_memory, "in process 2 of 3");
  CHECK(known.status == Status::kOk);
  REQUIRE(known.notes.size() == 1);
  CHECK(known.notes[0].text == "not timed in process 2 of 3: no compiler");
  merge_times(known, with_status(Status::kVerificationFailed, "9 wrong"), "in process 3 of 3");
  CHECK(known.status == Status::kVerificationFailed);
  CHECK_FALSE(known.verified);
  CHECK(known.reason == "in process 3 of 3: 9 wrong");
}

TEST_CASE("Further processes time correct results with times, without the reference") {
  CHECK(may_be_timed_again(timed({1})));
  CHECK_FALSE(may_be_timed_again(timed({})));
  CHECK_FALSE(may_be_timed_again(with_status(Status::kSuspect, "")));
  ResultRecord reference = timed({1});
  reference.kind = VariantKind::kReference;
  CHECK_FALSE(may_be_timed_again(reference));
}

}  // namespace
}  // namespace kernelbatch
