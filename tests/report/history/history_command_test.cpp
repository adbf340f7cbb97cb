// `kernelbatch history` and `kernelbatch gate` on the command line.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/report/history/made_up_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// Six runs of 1 ms, the newest of `newest` times that.
struct TypedHistory {
  explicit TypedHistory(double newest = 1) {
    for (int day = 0; day < 6; ++day) add(day, day == 5 ? newest : 1, Status::kOk);
  }
  void add(int day, double factor, Status status) const {
    test::MadeUpRun run;
    run.results = {test::made_up_result("c0", "raw", 1000, test::kFirstDay + day * test::kDay,
                                        1e-3 * factor * (1 + 1e-3 * (day % 3)))};
    run.results[0].status = status;
    run.environment.emplace_back("branch", std::string(day < 5 ? "main" : "topic"));
    run.environment.emplace_back("commit", "c0ffee" + std::to_string(day));
    test::write_run(folder / ("day" + std::to_string(day) + ".h5"), run);
  }
  void damage(const std::string& name) const {
    const std::filesystem::path path = folder / name;
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 50);
  }
  std::string path() const { return folder.path().string(); }
  ProcessResult gate(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"gate", path()});
    return test::command(options);
  }
  test::TemporaryFolder folder;
};

TEST_CASE("history prints a table, or JSON") {
  const TypedHistory runs;
  const ProcessResult table = test::command({"history", runs.path()});
  INFO(table.output);
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.output, Contains("saxpy") && Contains("1 series, 6 runs, 0 files left out"));
  const ProcessResult json =
      test::command({"history", runs.path(), "--json", "--workload", "saxpy", "--variant", "raw",
                     "--device", "example", "--case", "c", "--since", "2026-10-03"});
  INFO(json.output);
  REQUIRE(json.exit_status == 0);
  CHECK(nlohmann::json::parse(json.output)["series"][0]["points"].size() == 4);
}

TEST_CASE("history takes a list of commits") {
  const TypedHistory runs;
  std::ofstream(runs.folder / "commits.txt") << "c0ffee5 newest first\n\n  c0ffee0\n";
  const ProcessResult result = test::command(
      {"history", runs.path(), "--json", "--commits", (runs.folder / "commits.txt").string()});
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  const std::string json = result.output.substr(result.output.find("{\"files"));
  const auto points = nlohmann::json::parse(json)["series"][0]["points"];
  CHECK(points[0]["commit"] == "c0ffee5");
  CHECK(points[5]["commit"] == "c0ffee0");
  CHECK_THAT(result.output, Contains("4 of 6 environments have no commit that is listed"));
}

TEST_CASE("history prints ASCII if the locale has nothing else") {
  const TypedHistory runs;
  const test::EnvironmentVariable locale("LC_ALL", "C");
  const ProcessResult table = test::command({"history", runs.path()});
  CHECK(table.exit_status == 0);
  CHECK(std::ranges::all_of(table.output, [](char c) { return static_cast<signed char>(c) > 0; }));
  CHECK_THAT(table.output, Contains("------"));
}

TEST_CASE("history lists files that it leaves out and exits with 6") {
  const TypedHistory runs;
  runs.damage("day2.h5");
  const ProcessResult result = test::command({"history", runs.path()});
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("day2.h5") && Contains("5 runs, 1 file left out"));
}

TEST_CASE("history and gate refuse invalid requests with 2") {
  const TypedHistory runs;
  std::ofstream(runs.folder / "none.txt") << "\n\n";
  const std::string none = (runs.folder / "none.txt").string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"history"},
                                             {"history", runs.path() + "/absent"},
                                             {"history", runs.path(), "--since", "soon"},
                                             {"history", runs.path(), "--workload", "saxpi"},
                                             {"history", runs.path(), "--commits", none},
                                             {"gate"},
                                             {"gate", runs.path() + "/absent"},
                                             {"gate", runs.path(), "--gap", "30%"},
                                             {"gate", runs.path(), "--gap", "-1"},
                                             {"gate", runs.path(), "--gap", "much"},
                                             {"gate", runs.path(), "--gap", ""},
                                             {"gate", runs.path(), "--baseline", ""},
                                             {"gate", runs.path(), "--baseline", "absent"},
                                             {"gate", runs.path(), "--format", "pdf"},
                                             {"gate", runs.path(), "--fail-on", "faster"}}) {
    const ProcessResult result = test::command(words);
    CAPTURE(words, result.output);
    CHECK(result.exit_status == 2);
  }
  const test::TemporaryFolder empty;
  CHECK(test::command({"history", empty.path().string()}).exit_status == 2);
  CHECK(test::command({"gate", empty.path().string()}).exit_status == 2);
  std::ofstream(empty / "foreign.h5") << "no HDF5";
  CHECK(test::command({"gate", empty.path().string()}).exit_status == 2);
}

TEST_CASE("the gate passes with 0 and fails with 5") {
  CHECK(TypedHistory(1).gate().exit_status == 0);
  CHECK(TypedHistory(0.8).gate().exit_status == 0);
  const TypedHistory slower(1.1);
  const ProcessResult shut = slower.gate();
  CHECK(shut.exit_status == 5);
  CHECK_THAT(shut.output, Contains("the gate failed: 1 SLOWER"));
  CHECK(slower.gate({"--baseline", "main"}).exit_status == 5);
  CHECK(slower.gate({"--gap", "15%"}).exit_status == 0);
  CHECK(slower.gate({"--format", "github"}).exit_status == 5);
  slower.add(5, 1, Status::kVerificationFailed);
  CHECK(slower.gate().exit_status == 5);
}

TEST_CASE("the gate can fail for series that are gone, unsure or new") {
  const TypedHistory runs;
  for (int day = 1; day < 4; ++day)
    std::filesystem::remove(runs.folder / ("day" + std::to_string(day) + ".h5"));
  const ProcessResult unsure = runs.gate();
  CHECK(unsure.exit_status == 0);
  CHECK_THAT(unsure.output, Contains("the baseline has 2 runs, 3 are needed"));
  CHECK(runs.gate({"--fail-on", "unsure"}).exit_status == 5);
  CHECK(runs.gate({"--fail-on", "gone,new"}).exit_status == 0);
}

TEST_CASE("the gate does not pass if the newest file is unreadable") {
  const TypedHistory runs;
  runs.damage("day5.h5");
  const ProcessResult result = runs.gate();
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("day5.h5"));
  const TypedHistory slower(1.1);
  slower.damage("day1.h5");
  CHECK(slower.gate().exit_status == 5);
}

TEST_CASE("the gate's JSON and JUnit are the only standard output") {
  const TypedHistory runs;
  const ProcessResult json = runs.gate({"--format", "json"});
  CHECK(nlohmann::json::parse(json.output)["counts"]["SAME"] == 1);
  CHECK_THAT(runs.gate({"--format", "junit"}).output, Contains("failures=\"0\""));
}

TEST_CASE("commands that start at once share an index") {
  const TypedHistory runs;
  std::vector<std::unique_ptr<test::Background>> commands;
  for (int k = 0; k < 4; ++k)
    commands.push_back(std::make_unique<test::Background>(
        std::vector<std::string>{k % 2 == 0 ? "history" : "gate", runs.path()}));
  for (const auto& command : commands) CHECK(command->wait() == 0);
  CHECK(runs.gate().exit_status == 0);
}

}  // namespace
}  // namespace kernelbatch
