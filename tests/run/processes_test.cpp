// `measure.processes`: several processes time a case, and their differences are included in the
// interval.
#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "core/result/summarise.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

const std::string kThree =
    "device: " + test::test_device() +
    "\nmeasure: {preset: quick, warmup: 0, hot: false, calibrate: false, processes: 3, "
    "stop: {min_samples: 7, max_samples: 7}}\n"
    "workload: faulty\nparams: {n: 1000}\n";

/// One variant and the reference, in three processes.
class ThreeProcesses {
 public:
  explicit ThreeProcesses(const std::string& variant, const std::string& moods = "",
                          const std::string& more = "")
      : folder_(kThree + "variants: [reference, " + variant + "]\n" + more),
        moods_("FAULTY_MOODS", (folder_.path() / "moods").string()) {
    folder_.write("moods", moods);
    done_ = test::command({"run", folder_.job()});
    file_ = read_results(folder_.results());
  }
  const ProcessResult& done() const { return done_; }
  const ResultRecord& of(const std::string& variant) const {
    const auto found = std::ranges::find(file_.results, variant, &ResultRecord::variant);
    REQUIRE(found != file_.results.end());
    return *found;
  }
  std::string moods() const { return read_file(folder_.path() / "moods"); }

 private:
  test::JobFolder folder_;
  test::EnvironmentVariable moods_;
  ProcessResult done_;
  ResultFile file_;
};

TEST_CASE("Each process takes its part of the samples") {
  const ThreeProcesses run("good");
  INFO(run.done().output);
  REQUIRE(run.done().exit_status == 0);
  const ResultRecord& good = run.of("good");
  CHECK(good.processes == 3);
  CHECK(good.cold.samples == 21);
  const auto times = times_by_process(good, SampleKind::kCold);
  REQUIRE(times.size() == 3);
  std::vector<double> all;
  for (const auto& each : times) {
    CHECK(each.size() == 7);
    all.insert(all.end(), each.begin(), each.end());
  }
  CHECK(good.cold.median == summarise(all).median);
  CHECK(good.cold.ci95_low < good.cold.median);
  CHECK(good.cold.ci95_high > good.cold.median);
  // The first call of each is checked, and each timed one.
  CHECK(good.checked_calls >= 24);
  // The CPU's reference is timed once.
  CHECK(run.of("reference").processes == 1);
}

TEST_CASE("A variant that is wrong in a later process is wrong") {
  const ThreeProcesses run("changes_mood", "good\ngood\nwrong\n");
  CHECK(run.done().exit_status == 1);
  const ResultRecord& record = run.of("changes_mood");
  CHECK(record.status == Status::kVerificationFailed);
  CHECK_FALSE(record.verified);
  CHECK_THAT(record.reason, Contains("in process 3 of 3: "));
  CHECK(std::isnan(record.ranked_time()));
}

TEST_CASE("A variant that fails in a later process has failed") {
  const ThreeProcesses run("changes_mood", "good\nthrow\ngood\n");
  CHECK(run.of("changes_mood").status == Status::kFailed);
  CHECK_THAT(run.of("changes_mood").reason,
             Contains("in process 2 of 3: ") && Contains("not in this process"));
}

TEST_CASE("A variant that crashes in a later process is retried, and has crashed") {
  const ThreeProcesses twice("changes_mood", "good\ncrash\ncrash\ngood\n");
  CHECK(twice.done().exit_status == 3);
  CHECK(twice.of("changes_mood").status == Status::kCrashed);
  CHECK_THAT(twice.of("changes_mood").reason, Contains("in process 2 of 3: "));
  const ThreeProcesses once("changes_mood", "good\ncrash\ngood\ngood\n");
  INFO(once.done().output);
  CHECK(once.done().exit_status == 0);
  CHECK(once.of("changes_mood").processes == 3);
  CHECK(once.moods().empty());
}

TEST_CASE("A reference variant is the reference in each process, and timed like the others") {
  for (const char* arrays : {"all", "none"}) {
    const test::JobFolder folder(kThree +
                                 "variants: [good, changes_mood]\nverify: {reference: good}\n");
    const ProcessResult done =
        test::command({"run", folder.job(), "-s", std::string("output.arrays=") + arrays});
    INFO(done.output);
    CHECK(done.exit_status == 0);
    const ResultFile file = read_results(folder.results());
    CHECK(file.results.size() == 2);
    for (const ResultRecord& record : file.results) {
      CHECK(record.status == Status::kOk);
      CHECK(record.processes == 3);
      CHECK(record.outputs.at(0).mode == (record.variant == "good" ? "reference" : "allclose"));
      CHECK((record.variant == "good" ? record.speedup == 1 : record.speedup > 0));
    }
  }
}

TEST_CASE("Presets set the number of processes; a profiler run has one") {
  const ThreeProcesses run("changes_mood", "good\ngood\ngood\nwrong\n");
  CHECK(run.done().exit_status == 0);
  CHECK(run.moods() == "wrong\n");
  const ThreeProcesses isolated("good", "", "limits: {isolate: variant}\n");
  CHECK(isolated.of("good").processes == 3);
}

/// Log-normal medians of processes.
std::vector<std::vector<double>> processes_of(const std::vector<double>& medians) {
  std::vector<std::vector<double>> all;
  for (const double median : medians) all.push_back({median * 0.99, median, median * 1.01});
  return all;
}

Summary stated(const std::vector<double>& medians, double processes, double runs = 0) {
  std::vector<double> pooled;
  const auto all = processes_of(medians);
  for (const auto& each : all) pooled.insert(pooled.end(), each.begin(), each.end());
  Summary summary = summarise(pooled);
  state_for_next_run(summary, all, {processes, runs});
  return summary;
}

TEST_CASE("The interval grows with the differences between processes") {
  const auto half = [](const Summary& summary) {
    return std::log(summary.ci95_high / summary.median);
  };
  // Alone: t of 4 degrees of freedom (2.776) times s times the root of 2.
  CHECK(half(stated({1}, 0.01)) == Approx(2.776 * 0.01 * std::sqrt(2.0)).epsilon(0.001));
  // Three that agree make it narrower: t of 6 (2.447), s of 0.01·√(4/6), √(2/3).
  CHECK(half(stated({1, 1, 1}, 0.01)) ==
        Approx(2.447 * 0.01 * std::sqrt(4.0 / 6 * 2 / 3)).epsilon(0.001));
  CHECK(half(stated({1, 1.1, 0.9}, 0.01)) > 0.1);
  // Variation between runs is added, for any number of processes.
  CHECK(half(stated({1, 1, 1}, 1e-9, 0.03)) == Approx(1.96 * 0.03 * std::sqrt(2.0)).epsilon(0.001));
  // It is never narrower than that of the samples.
  CHECK(stated({1, 1, 1}, 1e-9).ci95_high >= 1);
}

TEST_CASE("The next run's median is in the interval as often as specified") {
  // Runs of k processes whose medians scatter by 1 %, twice as much as is usual.
  std::mt19937_64 random(7);
  std::normal_distribution<double> scatter(0, 0.01);
  for (const std::size_t count : {3U, 5U}) {
    int inside = 0;
    constexpr int kRuns = 4000;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> mine, next;
      for (std::size_t k = 0; k < count; ++k) {
        mine.push_back(std::exp(scatter(random)));
        next.push_back(std::exp(scatter(random)));
      }
      std::vector<double> pooled;
      const auto all = processes_of(next);
      for (const auto& each : all) pooled.insert(pooled.end(), each.begin(), each.end());
      const Summary summary = stated(mine, 0.005);
      const double median = summarise(pooled).median;
      inside += summary.ci95_low <= median && median <= summary.ci95_high ? 1 : 0;
    }
    CAPTURE(count, inside);
    CHECK(inside > 0.9 * kRuns);
  }
}

}  // namespace
}  // namespace kernelbatch
