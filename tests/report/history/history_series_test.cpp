// Series, their order, their changes and reports.
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/report/history/history.hpp"
#include "core/report/history/point_order.hpp"
#include "tests/report/history/made_up_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

using Order = std::vector<std::size_t>;

TEST_CASE("runs are ordered by time, and those with a listed commit by the list") {
  using history::order_of_moments;
  const std::vector<history::Moment> by_time{{3, -1}, {1, -1}, {2, -1}};
  CHECK(order_of_moments(by_time) == Order{1, 2, 0});
  // The clock of the run with rank 2 went backwards; the one without a rank keeps its place.
  const std::vector<history::Moment> mixed{{10, 0}, {5, 2}, {20, 1}, {15, -1}, {16, 2}};
  CHECK(order_of_moments(mixed) == Order{0, 2, 3, 1, 4});
  const std::vector<std::string> commits{"abcdef0", "1234567"};
  CHECK(history::rank_of_commit("1234567890abcdef", commits) == 1);
  CHECK(history::rank_of_commit("abcdef", commits) == 0);
  CHECK(history::rank_of_commit("abc", commits) == -1);
  CHECK(history::rank_of_commit("", commits) == -1);
  CHECK(history::rank_of_commit("fedcba0", commits) == -1);
}

/// Runs of a day each in one folder.
struct DailyRuns {
  test::MadeUpRun run_of(int day, double median) const {
    test::MadeUpRun run;
    run.results = {
        test::made_up_result("c0", "raw", 1000, test::kFirstDay + day * test::kDay, median)};
    return run;
  }
  void write(int day, const test::MadeUpRun& run) const {
    test::write_run(folder / ("day" + std::to_string(100 + day) + ".h5"), run);
  }
  History load() const { return load_history({.folders = {folder.path().string()}}); }
  test::TemporaryFolder folder;
};

TEST_CASE("a list of commits orders runs whose clock went backwards") {
  const DailyRuns runs;
  const std::vector<std::string> commits{"aaaaaaa1", "bbbbbbb2", "ccccccc3"};
  for (int k = 0; k < 3; ++k) {
    test::MadeUpRun run = runs.run_of(k == 2 ? -5 : k, 1e-3 * (k + 1));
    run.environment.emplace_back("commit", commits[static_cast<std::size_t>(k)] + "0000");
    runs.write(k, run);
  }
  CHECK(runs.load().series.at(0).points.back().median == Approx(2e-3));
  const History ordered =
      load_history({.folders = {runs.folder.path().string()}, .commits = commits});
  CHECK(ordered.series.at(0).points.back().median == Approx(3e-3));
  CHECK(ordered.notes.empty());
  const History unknown =
      load_history({.folders = {runs.folder.path().string()}, .commits = {"fffffff"}});
  CHECK(unknown.notes.size() == 1);
}

TEST_CASE("a series is identified by meaning, not by its case's ID") {
  const DailyRuns runs;
  runs.write(0, runs.run_of(0, 1e-3));
  test::MadeUpRun other = runs.run_of(1, 1e-3);
  other.results[0].case_id = "renamed";
  std::swap(other.results[0].params[0], other.results[0].params[1]);
  runs.write(1, other);
  REQUIRE(runs.load().series.size() == 1);
  CHECK(runs.load().series[0].points.size() == 2);
  const auto add = [&](int day, const auto& edit) {
    test::MadeUpRun run = runs.run_of(day, 1e-3);
    edit(run.results[0]);
    runs.write(day, run);
  };
  add(2, [](ResultRecord& r) { r.variant = "jit"; });
  add(3, [](ResultRecord& r) { r.device = "Other GPU"; });
  add(4, [](ResultRecord& r) { r.params[0].second = std::int64_t{1001}; });
  add(5, [](ResultRecord& r) { r.workload = "daxpy"; });
  CHECK(runs.load().series.size() == 5);
  add(6, [](ResultRecord& r) { r.kind = VariantKind::kReference; });
  CHECK(runs.load().series.size() == 5);
}

TEST_CASE("equal results of one file are separate series") {
  const DailyRuns runs;
  for (int day = 0; day < 2; ++day) {
    test::MadeUpRun run = runs.run_of(day, 1e-3);
    run.results.push_back(run.results[0]);
    run.results[1].case_id = "c1";
    run.results[1].cold.median = 5e-3;
    runs.write(day, run);
  }
  const History history = runs.load();
  REQUIRE(history.series.size() == 2);
  for (const HistorySeries& series : history.series) {
    REQUIRE(series.points.size() == 2);
    CHECK(series.points[0].median == series.points[1].median);
  }
}

/// 20 days at 1 ms with noise of ±0.1 %, then 20 at 1.1 ms; `edit` sees each run.
History stepped(const DailyRuns& runs, const std::function<void(int, test::MadeUpRun&)>& edit) {
  for (int day = 0; day < 40; ++day) {
    test::MadeUpRun run = runs.run_of(day, 1e-3 * (day < 20 ? 1 : 1.1) * (1 + 1e-4 * (day % 7)));
    edit(day, run);
    runs.write(day, run);
  }
  return runs.load();
}

TEST_CASE("a change is explained by what changed in the environment with it") {
  const DailyRuns runs;
  const History history = stepped(runs, [](int day, test::MadeUpRun& run) {
    run.environment[2].second = std::string(day < 20 ? "580.1" : "580.2");
    run.environment.emplace_back("argv", std::string(day < 20 ? "a" : "b"));  // explains nothing
    run.environment.emplace_back("compiler",
                                 std::string(day == 3 ? "12.1" : "12.2"));  // not constant
    run.environment.emplace_back("commit", "abc" + std::to_string(1'000'000 + day));
    if (day >= 20) run.environment.emplace_back("nvrtc", std::string("13"));  // not known before
    run.results[0].kernel_hash = day < 20 ? "1111111111" : "2222222222";
  });
  const std::vector<AnalysedSeries> analysed = analyse(history);
  REQUIRE(analysed.size() == 1);
  REQUIRE(analysed[0].changes.size() == 1);
  const ExplainedChange& change = analysed[0].changes[0];
  CHECK(change.point.index == 20);
  CHECK(change.point.change == Approx(0.1).margin(0.002));
  REQUIRE(change.causes.size() == 2);
  CHECK(change.causes[0].name == "kernel text");
  CHECK(change.causes[1].name == "driver");
  CHECK(change.causes[1].before == "580.1");
  CHECK(change.causes[1].after == "580.2");
  const std::string table = history_table(history, analysed, {});
  CHECK_THAT(table, Contains("since 2026-10-21, commit abc1000:") ||
                        Contains("since 2026-10-21, commit abc1000"));
  CHECK_THAT(table, Contains("driver 580.1 → 580.2") && Contains("1 series, 40 runs, 0 files"));
}

TEST_CASE("failures, other timings and unverified times are not points, but are reported") {
  const DailyRuns runs;
  const History history = stepped(runs, [](int day, test::MadeUpRun& run) {
    ResultRecord& result = run.results[0];
    if (day == 5 || day == 32) {
      result.status = Status::kVerificationFailed;
      result.reason = "z: 7 elements are wrong";
    }
    if (day == 6) result.verified = false;
    if (day == 7) std::swap(result.cold, result.hot);
    if (day == 8) result.status = Status::kSkipped;
    if (day == 9) result.checked_calls = 9, result.input_sets = 1;
  });
  const std::vector<AnalysedSeries> analysed = analyse(history);
  CHECK(analysed[0].timed.size() == 35);
  CHECK(analysed[0].failures.size() == 2);
  CHECK_THAT(history_table(history, analysed, {}),
             Contains("2 wrong, last 2026-11-02; 1 not verified; 1 on one set; 1 timed otherwise"));
  const auto json = nlohmann::json::parse(history_json(history, analysed));
  REQUIRE(json["series"].size() == 1);
  const auto& series = json["series"][0];
  CHECK(series["points"].size() == 35);
  CHECK(series["failures"][0]["reason"] == "z: 7 elements are wrong");
  CHECK(series["one_set"] == 1);
  CHECK(series["change_points"].size() == 1);
  CHECK(series["segments"].size() == 2);
  CHECK(json["files"].size() == 40);
  const std::string environment =
      std::to_string(series["points"][0]["environment"].get<std::int64_t>());
  CHECK(json["environments"][environment]["driver"] == "580.1");
}

TEST_CASE("series with a recent change come first") {
  const DailyRuns runs;
  const History history = stepped(runs, [](int, test::MadeUpRun& run) {
    run.results.push_back(run.results[0]);
    run.results[1].variant = "a";
    run.results[1].cold.median = 1e-3;
  });
  const std::vector<AnalysedSeries> analysed = analyse(history);
  REQUIRE(analysed.size() == 2);
  CHECK(history.series[0].variant == "a");
  CHECK(analysed[0].series->variant == "raw");
  HistoryTextOptions options;
  options.most_quiet = 0;
  CHECK_THAT(history_table(history, analysed, options), Contains("and 1 more without a change"));
}

TEST_CASE("a sparkline shows changes, and little noise as a flat line") {
  const auto values = [](std::initializer_list<double> times) {
    std::vector<SeriesPoint> points;
    for (const double time : times) points.push_back({time, time, time});
    return points;
  };
  CHECK(sparkline(values({1, 1, 2, 2}), 16, false) == "▁▁██");
  CHECK(sparkline(values({1, 1, 2, 2}), 16, true) == "__^^");
  CHECK(sparkline(values({1, 1, 1, 1, 8, 8, 8, 8}), 2, false) == "▁█");
  CHECK(sparkline(values({1, 1.0001, 1}), 16, false) == "▄▅▄");
  CHECK(sparkline({}, 16, false).empty());
  CHECK(sparkline(values({kMissing, 0}), 16, false).empty());
}

TEST_CASE("times are written and read in UTC") {
  CHECK(day_text(test::kFirstDay) == "2026-10-01");
  CHECK(minute_text(test::kFirstDay + 3'660'000'000'000) == "2026-10-01 01:01 UTC");
  CHECK(day_text(-1) == "-");
  CHECK(parse_time("2026-10-01") == test::kFirstDay);
  CHECK(parse_time("2026-10-01T00:00Z") == test::kFirstDay);
  CHECK(parse_time("2026-10-02 01:00:30") == test::kFirstDay + test::kDay + 3'630'000'000'000);
  for (const char* wrong : {"", "yesterday", "2026", "2026-13-01", "2026-02-30", "2026-10-01T",
                            "2026-10-01x", "2026-10-01 25:00", "2026-10-01 10:61", "01.10.2026"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_time(wrong), SpecError);
  }
}

}  // namespace
}  // namespace kernelbatch
