// `kernelbatch compare`: verdicts, gates and errors.
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/result/shard_writer.hpp"
#include "tests/app/command.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A file whose times are those of the synthetic cases, times a factor.
struct Results {
  explicit Results(
      double factor, int cases = 2, const std::string& device = "Example GPU",
      const std::function<void(CaseRecord&)>& edit = [](CaseRecord&) {}) {
    for (int k = 0; k < cases; ++k) {
      CaseRecord record = test::synthetic_case(test::case_name(k));
      for (ResultRecord& result : record.results) {
        result.device = device;
        for (double Summary::*part : {&Summary::median, &Summary::ci95_low, &Summary::ci95_high})
          result.cold.*part *= factor;
        const double width = 1e-3 * result.cold.median;
        result.cold.ci95_low = result.cold.median - width;
        result.cold.ci95_high = result.cold.median + width;
        for (Sample& sample : result.samples) sample.time *= factor;
      }
      record.calibration = {{device, 1e-6, 1e11, 1.2e11, 0.005, 1e-9}};
      edit(record);
      write_shard(shard_folder(file, "a"), record, {});
    }
  }
  std::string path() const { return file.string(); }
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "r.h5";
};

TEST_CASE("a file is the same as itself, and 3 % are detected") {
  const Results a(1), slower(1.03);
  const ProcessResult same = test::command({"compare", a.path(), a.path(), "--fail-on", "slower"});
  INFO(same.output);
  CHECK(same.exit_status == 0);
  CHECK_THAT(same.output, Contains("0 FASTER, 0 SLOWER, 4 SAME"));
  CHECK_THAT(test::command({"compare", a.path(), slower.path()}).output, Contains("4 SLOWER"));
  CHECK_THAT(test::command({"compare", slower.path(), a.path()}).output, Contains("4 FASTER"));
}

TEST_CASE("--fail-on fails the gate with 5") {
  const Results a(1, 2), slower(1.03, 2), more(1, 3);
  const auto status = [&](const Results& to, std::vector<std::string> options) {
    options.insert(options.begin(), {"compare", a.path(), to.path()});
    return test::command(options).exit_status;
  };
  CHECK(status(slower, {}) == 0);
  CHECK(status(slower, {"--fail-on", "slower"}) == 5);
  CHECK(status(slower, {"--fail-on", "unsure"}) == 0);
  CHECK(status(slower, {"--fail-on", "missing,wrong,failed"}) == 0);
  CHECK(status(slower, {"--fail-on", "unsure,slower"}) == 5);
  CHECK(status(slower, {"--fail-on", "slower", "--gap", "0.1"}) == 0);
  CHECK(status(slower, {"--fail-on", "faster"}) == 2);
  CHECK(status(slower, {"--fail-on", ""}) == 2);
  CHECK(status(more, {"--fail-on", "slower,unsure"}) == 0);
  CHECK(status(more, {"--fail-on", "missing"}) == 5);
}

/// Exit code of `compare a b --fail-on …`.
int gate(const Results& a, const Results& b, std::vector<std::string> options = {}) {
  if (options.empty()) options = {"--fail-on", "slower,unsure"};
  options.insert(options.begin(), {"compare", a.path(), b.path()});
  const ProcessResult result = test::command(options);
  UNSCOPED_INFO(result.output);
  return result.exit_status;
}

TEST_CASE("the gate fails if noise hides a slower result") {
  const auto noise = [](double floor) {
    return [floor](CaseRecord& record) { record.calibration.at(0).noise_floor = floor; };
  };
  const Results a(1);
  for (const double floor : {5.75, 0.08, kMissing, -1.0}) {
    CAPTURE(floor);
    CHECK(gate(a, Results(1.05, 2, "Example GPU", noise(floor)), {"--fail-on", "unsure,slower"}) ==
          5);
    CHECK(gate(Results(1, 2, "Example GPU", noise(floor)), Results(1.05)) == 5);
  }
  const Results b(5.32, 2, "Example GPU", noise(5.75));
  CHECK(gate(b, b) == 5);
  const ProcessResult table = test::command({"compare", a.path(), b.path()});
  CHECK_THAT(table.output, Contains("4 UNSURE") && Contains("calibrated noise is 575 %"));
  const Results uncalibrated(1, 2, "Example GPU", [](CaseRecord& r) { r.calibration.clear(); });
  CHECK(gate(a, uncalibrated) == 5);
}

TEST_CASE("the gate fails if B is wrong, failed, missing or has no time") {
  const Results a(1);
  const auto b = [](const std::function<void(ResultRecord&)>& edit) {
    return Results(1, 2, "Example GPU", [edit](CaseRecord& r) { edit(r.results.at(1)); });
  };
  for (const Status status :
       {Status::kVerificationFailed, Status::kCrashed, Status::kTimedOut, Status::kOutOfMemory,
        Status::kCompileFailed, Status::kSkipped, Status::kFailed}) {
    CAPTURE(to_text(status));
    const Results failed = b([status](ResultRecord& record) { record.status = status; });
    CHECK(gate(a, failed) == 5);
    CHECK(gate(a, failed, {"--fail-on", "slower"}) == 5);
    CHECK(gate(a, failed, {"--fail-on", "slower", "--common"}) == 5);
  }
  for (const double median : {0.0, kMissing, std::numeric_limits<double>::infinity(), -1e-3})
    CHECK(gate(a, b([median](ResultRecord& record) {
                 record.cold.median = median;
                 record.hot = {};
               })) == 5);
  CHECK(gate(a, b([](ResultRecord& record) { record.cold.ci95_high = kMissing; })) == 5);
  CHECK(gate(a, b([](ResultRecord& record) { record.verified = false; })) == 5);
  CHECK(gate(a, b([](ResultRecord& record) { std::swap(record.cold, record.hot); })) == 0);
  CHECK(gate(a, b([](ResultRecord& record) { record.cold = {}; })) == 5);
  CHECK(gate(a, Results(1, 1)) == 5);
  CHECK(gate(a, Results(1, 1), {"--fail-on", "slower", "--common"}) == 0);
  CHECK(gate(Results(1, 1), a) == 0);
  // A result that never ran is no loss.
  const auto skip = [](ResultRecord& record) { record.status = Status::kSkipped; };
  CHECK(gate(b(skip), b(skip)) == 0);
  CHECK(gate(b(skip), b(skip), {"--fail-on", "missing"}) == 5);
}

TEST_CASE("the gate fails if nothing could be compared") {
  const auto all = [](Status status) {
    return [status](CaseRecord& record) {
      for (ResultRecord& result : record.results) result.status = status;
    };
  };
  const Results skipped(1, 2, "Example GPU", all(Status::kSkipped));
  CHECK(gate(skipped, skipped) == 5);
  CHECK(gate(Results(1, 2, "Example GPU", all(Status::kCrashed)), Results(1)) == 5);
}

TEST_CASE("a gate on host times needs --host-times, one on correctness does not") {
  const Results a(1, 2, "host");
  const ProcessResult result =
      test::command({"compare", a.path(), a.path(), "--fail-on", "slower"});
  CHECK(result.exit_status == 5);
  CHECK_THAT(result.output, Contains("nothing could be compared: 4 times not compared: host times "
                                     "are simulation times (--host-times)"));
  CHECK(gate(a, a, {"--fail-on", "wrong"}) == 0);
  CHECK(gate(a, a, {"--fail-on", "slower", "--host-times"}) == 0);
}

TEST_CASE("a gate over a file that was read in part ends with 6") {
  const Results a(1), b(1);
  std::ofstream(shard_folder(b.file, "a") / "broken.h5") << "no HDF5";
  CHECK(gate(a, b) == 6);
  CHECK(test::command({"compare", a.path(), b.path()}).exit_status == 0);
}

TEST_CASE("--gap takes shares up to a fifth") {
  const Results a(1);
  CHECK(gate(a, a, {"--gap", "0.2"}) == 0);
  for (const char* gap : {"0.21", "10", "-0.1", "nan", "inf", "wide", ""}) {
    CAPTURE(gap);
    CHECK(gate(a, a, {"--gap", gap}) == 2);
  }
}

TEST_CASE("different devices are refused unless allowed") {
  const Results a(1), b(1, 2, "Other GPU");
  const ProcessResult refused = test::command({"compare", a.path(), b.path()});
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.output, Contains("Other GPU") && Contains("--different-devices"));
  CHECK(test::command({"compare", a.path(), b.path(), "--different-devices"}).exit_status == 0);
}

TEST_CASE("variants of one file are compared, unknown ones refused with the nearest name") {
  const Results a(1);
  CHECK_THAT(
      test::command({"compare", a.path(), "--variants", "elementwise,raw", "--gap", "0.01"}).output,
      Contains("2 SAME"));
  const ProcessResult unknown =
      test::command({"compare", a.path(), "--variants", "raw,elementwize"});
  CHECK(unknown.exit_status == 2);
  CHECK_THAT(unknown.output, Contains("did you mean 'elementwise'?"));
  CHECK(test::command({"compare", a.path()}).exit_status == 2);
  CHECK(test::command({"compare", a.path(), "--variants", "raw"}).exit_status == 2);
}

TEST_CASE("several runs of a side are given with commas") {
  const Results a(1), again(1.001), slower(1.05), slower_again(1.051);
  const ProcessResult found = test::command({"compare", a.path() + "," + again.path(),
                                             slower.path() + "," + slower_again.path(), "--json"});
  INFO(found.output);
  const auto json = nlohmann::json::parse(found.output);
  CHECK(json.at("counts").at("SLOWER") == 4);
  CHECK(json.at("pairs").at(0).at("runs_b") == 2);
  CHECK(test::command({"compare", a.path() + ",", slower.path()}).exit_status == 2);
}

TEST_CASE("--json has every pair") {
  const Results a(1), b(1.03);
  const auto json =
      nlohmann::json::parse(test::command({"compare", a.path(), b.path(), "--json"}).output);
  CHECK(json.at("pairs").size() == 4);
  CHECK(json.at("counts").at("SLOWER") == 4);
}

}  // namespace
}  // namespace kernelbatch
