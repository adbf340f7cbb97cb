// The newest run against the baseline.
#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/report/history/gate.hpp"
#include "tests/report/history/made_up_files.hpp"
#include "tests/report/history/made_up_series.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

SeriesPoint run_at(double time, double half_width = 0.001) {
  return {time, time * (1 - half_width), time * (1 + half_width)};
}

/// Runs around 1 s whose logarithms have the standard deviation `spread`.
std::vector<SeriesPoint> segment_of(std::size_t runs, double spread) {
  std::vector<SeriesPoint> segment;
  const double half = spread * std::sqrt(static_cast<double>(runs - 1) / static_cast<double>(runs));
  for (std::size_t k = 0; k < runs; ++k)
    segment.push_back(run_at(std::exp(k % 2 == 0 ? half : -half), 0.0001));
  return segment;
}

TEST_CASE("the gate's verdicts follow the interval and the gap") {
  using enum Verdict;
  struct {
    double now, gap;
    Verdict verdict;
  } const cases[] = {
      {1.000, 0.02, kSame},   {1.005, 0.02, kSame},   {1.010, 0.02, kSame},
      {1.019, 0.02, kUnsure}, {1.030, 0.02, kSlower}, {0.960, 0.02, kFaster},
      {1.030, 0.05, kSame},   {1.030, 0.03, kUnsure}, {1.001, 0.00, kUnsure},
      {1.020, 0.00, kSlower}, {1.200, 0.20, kUnsure}, {1.250, 0.20, kSlower},
  };
  const auto segment = segment_of(10, 0.002);
  for (const auto& [now, gap, verdict] : cases) {
    CAPTURE(now, gap);
    const JudgedRow judgement = judge_run(segment, run_at(now), gap);
    CHECK(judgement.verdict == verdict);
    CHECK(judgement.ratio == Approx(now));
    CHECK(judgement.ratio_low < now);
    CHECK(judgement.ratio_high > now);
  }
}

TEST_CASE("the gate's interval is that of one further run of the segment") {
  // Student's t of 9 degrees of freedom, two-sided, 99 %: 3.2498.
  const JudgedRow narrow = judge_run(segment_of(10, 0.002), run_at(1, 0.0001), 0.02);
  CHECK(std::log(narrow.ratio_high) == Approx(3.2498 * 0.002 * std::sqrt(1.1)).epsilon(0.001));
  CHECK(narrow.ratio_low * narrow.ratio_high == Approx(1));
  // A run less sure than the segment's is given its own width.
  const JudgedRow wide = judge_run(segment_of(10, 0.002), run_at(1, 0.02), 0.02);
  CHECK(std::log(wide.ratio_high) > 1.5 * std::log(narrow.ratio_high));
  // Equal runs do not contradict the run's own interval.
  const JudgedRow alike = judge_run(segment_of(10, 0), run_at(1.05, 0.04), 0.02);
  CHECK(alike.verdict == Verdict::kUnsure);
}

TEST_CASE("the gate is unsure with few runs, no interval or no time") {
  for (const std::size_t runs : {1u, 2u}) {
    const JudgedRow judgement = judge_run(segment_of(runs, 0.001), run_at(2), 0.02);
    CHECK(judgement.verdict == Verdict::kUnsure);
    CHECK_THAT(judgement.note, Contains("3 are needed"));
  }
  CHECK(judge_run({}, run_at(1), 0.02).verdict == Verdict::kUnsure);
  CHECK(judge_run(segment_of(3, 0.001), run_at(2), 0.02).verdict == Verdict::kSlower);
  CHECK_THAT(judge_run(segment_of(5, 0.001), {2.0}, 0.02).note, Contains("no interval"));
  CHECK_THAT(judge_run(segment_of(5, 0.001), {}, 0.02).note, Contains("no time"));
}

TEST_CASE("series without a change rarely fail the gate") {
  const std::size_t series = environment("KERNELBATCH_TEST_QUICK") ? 200 : 1000;
  for (const test::NoiseKind kind : {test::NoiseKind::kNormal, test::NoiseKind::kCorrelated}) {
    for (const std::size_t runs : {5u, 40u}) {
      for (const double gap : {0.0, 0.02}) {
        test::Random random(7);
        std::size_t slower = 0, faster = 0;
        for (std::size_t k = 0; k < series; ++k) {
          const auto points = test::made_up_noise(kind, 0.01, runs + 1, random);
          const auto before = std::span(points).first(runs);
          const Segment last = segments_of(before, find_change_points(before)).back();
          const Verdict verdict = judge_run(before.subspan(last.begin), points.back(), gap).verdict;
          slower += verdict == Verdict::kSlower ? 1 : 0;
          faster += verdict == Verdict::kFaster ? 1 : 0;
        }
        CAPTURE(static_cast<int>(kind), runs, gap, slower, faster);
        // At the level of 99 % five of 1,000 are above the interval; 1 % is 2.2 times that. Of few
        // series chance adds some.
        const std::size_t chance = series < 1000 ? 3 : 0;
        CHECK(slower <= series / 100 + chance);
        CHECK(slower + faster <= series / 50 + chance);
      }
    }
  }
}

TEST_CASE("the gate finds a step of 5 % in noise of 1 % behind 20 runs") {
  test::Random random(3);
  std::size_t slower = 0;
  for (int k = 0; k < 200; ++k) {
    auto points = test::made_up_noise(test::NoiseKind::kNormal, 0.01, 21, random);
    for (double* time : {&points[20].value, &points[20].low, &points[20].high}) *time *= 1.05;
    const auto before = std::span(points).first(20);
    slower += judge_run(before, points.back(), 0.02).verdict == Verdict::kSlower ? 1 : 0;
  }
  CHECK(slower > 180);
}

/// After all days.
constexpr std::int64_t kLater = test::kFirstDay + 1000 * test::kDay;

/// One file a day, with a series for each name in `variants`.
struct GatedRuns {
  using Edit = std::function<void(test::MadeUpRun&)>;

  void add(int day, double time, const std::string& branch = "main", const Edit& edit = {}) const {
    test::MadeUpRun run;
    for (const char* variant : {"jit", "raw"})
      run.results.push_back(test::made_up_result(
          "c0", variant, 1000, test::kFirstDay + day * test::kDay, time * (1 + 0.001 * (day % 3))));
    run.environment.emplace_back("branch", branch);
    run.environment.emplace_back("commit", "c0ffe" + std::to_string(100 + day));
    if (edit) edit(run);
    test::write_run(path(day), run);
  }
  void add_days(int first, int end, double time, const std::string& branch = "main") const {
    for (int day = first; day < end; ++day) add(day, time, branch);
  }
  std::filesystem::path path(int day) const {
    return folder / ("day" + std::to_string(100 + day) + ".h5");
  }
  History load(const std::string& variant = "") const {
    HistoryRequest request{.folders = {folder.path().string()}};
    request.filter.variant = variant;
    return load_history(request);
  }
  GateResult judge(const std::string& baseline = "") const {
    kept = load();
    return judge_history(kept, {.baseline = baseline, .now_ns = kLater});
  }
  std::string refusal(const std::string& baseline, const std::string& variant = "") const {
    return test::error_text<SpecError>(
        [&] { (void)judge_history(load(variant), {.baseline = baseline, .now_ns = kLater}); });
  }
  test::TemporaryFolder folder;
  mutable History kept;
};

TEST_CASE("a run whose clock is ahead does not hide the runs after it") {
  const GatedRuns runs;
  runs.add_days(0, 8, 1e-3);
  const auto judge = [&](int now_day) {
    runs.kept = runs.load();
    return judge_history(runs.kept,
                         {.baseline = "", .now_ns = test::kFirstDay + now_day * test::kDay});
  };
  runs.add(18, 1e-3);
  CHECK_THAT(test::error_text<SpecError>([&] { (void)judge(8); }),
             Contains("day118.h5' starts in the future") && Contains("may be the newest run"));
  runs.add(8, 80e-3);
  const GateResult ahead = judge(8);
  CHECK(ahead.count(Verdict::kSlower) == 2);
  REQUIRE(ahead.notes.size() == 1);
  CHECK_THAT(ahead.notes[0], Contains("day118.h5' starts in the future"));
  REQUIRE(ahead.runs.size() == 1);
  CHECK(ahead.runs[0].file == 8);
  // When its day has come, nothing distinguishes it from other runs.
  CHECK(judge(18).notes.empty());
}

TEST_CASE("the newest run is compared with the last segment of all runs before it") {
  const GatedRuns runs;
  runs.add_days(0, 8, 2e-3);
  runs.add_days(8, 16, 1e-3);
  runs.add(16, 1e-3);
  CHECK(runs.judge().count(Verdict::kSame) == 2);
  CHECK(runs.judge().rows.at(0).baseline_runs == 8);
  runs.add(17, 1.2e-3);
  CHECK(runs.judge().count(Verdict::kSlower) == 2);
  runs.add(18, 0.8e-3);
  CHECK(runs.judge().count(Verdict::kFaster) == 2);
}

TEST_CASE("the gate reports changes that came with a slower run") {
  const GatedRuns runs;
  runs.add_days(0, 6, 1e-3);
  runs.add(6, 1.2e-3, "main",
           [](test::MadeUpRun& run) { run.environment[2].second = std::string("580.2"); });
  CHECK_THAT(runs.judge().rows.at(0).judgement.note, Contains("driver 580.1 → 580.2"));
}

TEST_CASE("a baseline is a branch or a commit") {
  const GatedRuns runs;
  runs.add_days(0, 6, 1e-3);
  runs.add_days(6, 12, 1.5e-3, "topic");
  const GateResult to_main = runs.judge("main");
  CHECK(to_main.count(Verdict::kSlower) == 2);
  REQUIRE(to_main.runs.size() == 1);
  CHECK(to_main.runs[0].branch == "topic");
  CHECK(runs.judge("topic").count(Verdict::kSlower) == 0);
  const GateResult to_commit = runs.judge("c0ffe103");
  CHECK(to_commit.count(Verdict::kUnsure) == 2);
  CHECK(to_commit.rows.at(0).baseline_runs == 1);
  CHECK_THAT(runs.refusal("mian"), Contains("did you mean 'main'"));
  CHECK_THAT(runs.refusal("c0ffe111"), Contains("no run other than the newest"));
}

TEST_CASE("a gate with nothing to judge is refused") {
  const GatedRuns runs;
  runs.add(0, 1e-3);
  CHECK_THAT(runs.refusal(""), Contains("only one run"));
  std::filesystem::copy_file(runs.path(0), runs.path(1));  // a copy is no second run
  CHECK_THAT(runs.refusal(""), Contains("only one run"));
  runs.add(2, 1e-3, "main", [](test::MadeUpRun& run) {
    for (ResultRecord& result : run.results) result.workload = "daxpy";
  });
  CHECK_THAT(runs.refusal(""), Contains("nothing can be judged"));
}

TEST_CASE("copies of the newest file are the newest run, too") {
  const GatedRuns runs;
  runs.add_days(0, 6, 1e-3);
  std::filesystem::copy_file(runs.path(5), runs.folder / "a-latest.h5");
  std::filesystem::copy_file(runs.path(5), runs.folder / "z-latest.h5");
  const GateResult result = runs.judge();
  CHECK(result.count(Verdict::kSame) + result.count(Verdict::kUnsure) == 2);
  CHECK(result.rows.at(0).baseline_runs == 5);
}

TEST_CASE("wrong now and correct before is wrong; never correct is new") {
  const GatedRuns runs;
  runs.add_days(0, 4, 1e-3);
  const auto end_as = [](Status status) {
    return [status](test::MadeUpRun& run) {
      run.results[0].status = status;
      run.results[0].reason = "it ended so";
    };
  };
  for (const Status status : {Status::kVerificationFailed, Status::kCrashed, Status::kSuspect}) {
    runs.add(4, 1e-3, "main", end_as(status));
    const GateResult result = runs.judge();
    REQUIRE(result.count(Verdict::kWrong) == 1);
    CHECK(result.rows[0].series->variant == "jit");
    CHECK_THAT(result.rows[0].judgement.note, Contains("it ended so"));
  }
  runs.add(5, 1e-3, "main", end_as(Status::kCrashed));
  CHECK(runs.judge().count(Verdict::kWrong) == 1);
  runs.add(6, 1e-3, "main", end_as(Status::kSkipped));
  CHECK(runs.judge().count(Verdict::kGone) == 1);
  const GatedRuns never;
  for (int day = 0; day < 3; ++day) never.add(day, 1e-3, "main", end_as(Status::kCrashed));
  CHECK(never.judge().count(Verdict::kNew) == 1);
  CHECK(never.judge().count(Verdict::kWrong) == 0);
}

TEST_CASE("a series may be gone or new, and unverified is unsure") {
  const GatedRuns runs;
  runs.add_days(0, 4, 1e-3);
  runs.add(4, 1e-3, "main", [](test::MadeUpRun& run) { run.results.pop_back(); });
  CHECK(runs.judge().count(Verdict::kGone) == 1);
  // A filter does not make an old run the newest.
  CHECK_THAT(runs.refusal("", "raw"), Contains("nothing can be judged"));
  // A series that another file of the same commit has is not gone.
  runs.add(5, 1e-3, "main", [](test::MadeUpRun& run) {
    run.results.erase(run.results.begin());
    run.environment.back().second = std::string("c0ffe104");
  });
  CHECK(runs.judge().count(Verdict::kGone) == 0);
  runs.add(6, 1e-3, "main", [](test::MadeUpRun& run) {
    run.results[0].variant = "added";
    run.results[1].verified = false;
  });
  const GateResult result = runs.judge();
  CHECK(result.count(Verdict::kNew) == 1);
  CHECK(result.count(Verdict::kUnsure) == 1);
  runs.add_days(7, 11, 1e-3);
  CHECK(runs.judge().count(Verdict::kGone) == 0);  // gone for too long
}

TEST_CASE("a newest run that was verified on one set of inputs has a note") {
  const GatedRuns runs;
  runs.add_days(0, 4, 1e-3);
  runs.add(4, 1e-3, "main", [](test::MadeUpRun& run) {
    run.results[0].checked_calls = 9;
    run.results[0].input_sets = 1;
  });
  const GateResult result = runs.judge();
  CHECK(result.count(Verdict::kSame) == 2);
  CHECK(std::ranges::count(result.rows, true, &GateRow::is_one_set) == 1);
  for (const GateRow& row : result.rows)
    CHECK(row.judgement.note == (row.is_one_set ? "one set" : ""));
}

TEST_CASE("each job and device has a newest run of its own") {
  const GatedRuns runs;
  const auto as_other = [](test::MadeUpRun& run) {
    run.job = "weekly";
    for (ResultRecord& result : run.results) result.workload = "daxpy";
  };
  for (int day = 0; day < 4; ++day) runs.add(day, 1e-3, "main", as_other);
  runs.add_days(4, 9, 1e-3);
  const GateResult result = runs.judge();
  CHECK(result.runs.size() == 2);
  CHECK(result.rows.size() == 4);
  CHECK(result.count(Verdict::kGone) == 0);
}

TEST_CASE("the gate verifies results of the host, but judges their times only on request") {
  const GatedRuns runs;
  const auto on_host = [](test::MadeUpRun& run) {
    for (ResultRecord& result : run.results) result.device = "host Example CPU";
  };
  for (int day = 0; day < 6; ++day) runs.add(day, 1e-3, "main", on_host);
  runs.add(6, 2e-3, "main", [&](test::MadeUpRun& run) {
    on_host(run);
    run.results[0].status = Status::kVerificationFailed;
  });
  const GateResult result = runs.judge();
  CHECK(result.count(Verdict::kWrong) == 1);
  CHECK(result.count(Verdict::kUnsure) == 1);
  CHECK(result.not_compared == 1);
  CHECK(result.rows.at(1).judgement.note == "host times are simulation times");
  for (const JudgedFormat format : {JudgedFormat::kText, JudgedFormat::kGithub})
    CHECK_THAT(gate_text(runs.kept, result, format), Contains("1 time not compared"));
  const auto json = nlohmann::json::parse(gate_text(runs.kept, result, JudgedFormat::kJson));
  CHECK(json["not_compared"] == 1);
  const GateOptions options{.baseline = "", .has_host_times = true, .now_ns = kLater};
  CHECK(judge_history(runs.kept, options).count(Verdict::kSlower) == 1);
}

TEST_CASE("the gate's formats contain the findings") {
  const GatedRuns runs;
  runs.add_days(0, 6, 1e-3);
  runs.add(6, 1.5e-3, "main", [](test::MadeUpRun& run) {
    run.results[0].status = Status::kCrashed;
    run.results[0].reason = "a <b> & \"c\", 100%";
  });
  const GateResult result = runs.judge();
  const auto json = nlohmann::json::parse(gate_text(runs.kept, result, JudgedFormat::kJson));
  CHECK(json["counts"]["SLOWER"] == 1);
  CHECK(json["counts"]["WRONG"] == 1);
  CHECK(json["series"][0]["verdict"] == "SLOWER");
  CHECK(json["series"][0]["ratio"].get<double>() == Approx(1.5).margin(0.01));
  CHECK(json["series"][1]["now"].is_null());
  const std::string junit = gate_text(runs.kept, result, JudgedFormat::kJunit);
  CHECK_THAT(junit, Contains("tests=\"2\" failures=\"2\"") && Contains("&lt;b&gt; &amp; &quot;c"));
  const std::string github = gate_text(runs.kept, result, JudgedFormat::kGithub);
  CHECK_THAT(github, Contains("::error title=SLOWER%3A saxpy raw") && Contains("100%25"));
  CHECK(std::ranges::count(github, '\n') == 3);
  const std::string table = gate_text(runs.kept, result, JudgedFormat::kText);
  CHECK_THAT(table, Contains("1 SLOWER, 1 WRONG") && Contains("commit c0ffe10 of main"));
}

}  // namespace
}  // namespace kernelbatch
