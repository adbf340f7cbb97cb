// `kernelbatch compare`: verdicts, gates and what it refuses.
#include <nlohmann/json.hpp>

#include "core/store/shard_writer.hpp"
#include "tests/app/command.hpp"
#include "tests/store/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A file whose times are those of the synthetic cases, times a factor.
struct Results {
  explicit Results(double factor, int cases = 2, const std::string& device = "Example GPU") {
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
      write_shard(shard_folder(file, "a"), record, {});
    }
  }
  std::string path() const { return file.string(); }
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "r.h5";
};

TEST_CASE("a file is the same as itself, and 3 % are seen") {
  const Results a(1), slower(1.03);
  const ProcessResult same = test::command({"compare", a.path(), a.path(), "--fail-on", "slower"});
  INFO(same.output);
  CHECK(same.exit_status == 0);
  CHECK_THAT(same.output, Contains("0 FASTER, 0 SLOWER, 4 SAME"));
  CHECK_THAT(test::command({"compare", a.path(), slower.path()}).output, Contains("4 SLOWER"));
  CHECK_THAT(test::command({"compare", slower.path(), a.path()}).output, Contains("4 FASTER"));
}

TEST_CASE("--fail-on shuts the gate with 5") {
  const Results a(1, 3), slower(1.03, 2);
  const auto status = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", a.path(), slower.path()});
    return test::command(more).exit_status;
  };
  CHECK(status({}) == 0);
  CHECK(status({"--fail-on", "slower"}) == 5);
  CHECK(status({"--fail-on", "unsure"}) == 0);
  CHECK(status({"--fail-on", "missing"}) == 5);
  CHECK(status({"--fail-on", "unsure,slower"}) == 5);
  CHECK(status({"--fail-on", "slower", "--gap", "0.1"}) == 0);
  CHECK(status({"--fail-on", "faster"}) == 2);
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
  const Results a(1), again(1.001), slower(1.02), slower_again(1.021);
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
