// `kernelbatch show`: stored results as a table and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::json;

/// A file with two cases of three variants, one of them wrong.
const test::JobFolder& results() {
  static const test::JobFolder folder(
      test::kShort +
      "workload: faulty\nparams: {n: [100, 200]}\nvariants: [reference, good, off_by_one]\n");
  static const int exit_status = test::command({"run", folder.job()}).exit_status;
  REQUIRE(exit_status == 1);
  return folder;
}

ProcessResult show(std::vector<std::string> more) {
  more.insert(more.begin(), {"show", results().results()});
  return test::command(more);
}

Json shown_json(std::vector<std::string> more) {
  more.push_back("--json");
  const ProcessResult result = show(std::move(more));
  REQUIRE(result.exit_status == 0);
  return Json::parse(result.output);
}

TEST_CASE("A table shows every result and explains the wrong ones") {
  const ProcessResult result = show({});
  CHECK(result.exit_status == 0);
  for (const char* text : {"faulty  n=100", "faulty  n=200", "reference", "verification_failed",
                           "Not ok:", "100 of 100 elements are wrong"})
    CHECK_THAT(result.output, Contains(text));
}

TEST_CASE("JSON has the same results") {
  const Json all = shown_json({});
  REQUIRE(all.size() == 6);
  int right = 0;
  for (const Json& each : all) right += each.at("status") == "ok";
  CHECK(right == 4);
  CHECK_FALSE(all[0].contains("samples"));
}

TEST_CASE("JSON is UTF-8 whatever a variant threw") {
  const test::JobFolder folder(test::kShort + "workload: faulty\nvariants: [reference, throws]\n");
  REQUIRE(test::command({"run", folder.job()}).exit_status == 3);
  const Json all = Json::parse(test::command({"show", folder.results(), "--json"}).output);
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[1].at("reason").get<std::string>(), Contains("thrown on purpose, in bytes"));
}

TEST_CASE("--samples adds every sample") {
  const Json all = shown_json({"--samples", "--variant", "good"});
  REQUIRE(all.size() == 2);
  CHECK_FALSE(all[0].at("samples").empty());
  CHECK_THAT(show({"--samples"}).output, Contains(" good cold 0 "));
}

TEST_CASE("--variant and --case filter, a case by the beginning of its id") {
  const Json good = shown_json({"--variant", "good"});
  REQUIRE(good.size() == 2);
  CHECK(good[0].at("variant") == "good");

  const std::string id = good[0].at("case_id");
  const Json one = shown_json({"--case", id.substr(0, 8)});
  REQUIRE(one.size() == 3);
  for (const Json& each : one) CHECK(each.at("case_id") == id);
  CHECK(shown_json({"--case", id, "--variant", "good"}).size() == 1);
}

TEST_CASE("A filter that matches nothing is an error") {
  const ProcessResult result = show({"--variant", "god"});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("has no result of that case and variant") &&
                                Contains("did you mean 'good'?"));
}

TEST_CASE("Filters that match nothing list the existing names, in every command") {
  const std::string file = results().results();
  const auto refused = [](std::vector<std::string> words, const std::string& message) {
    const ProcessResult result = test::command(words);
    CAPTURE(words, result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains(message));
  };
  const test::TemporaryFolder folder;
  const std::string to = (folder / "x").string();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"show", file},
                                             {"show", file, "--json"},
                                             {"compare", file, file},
                                             {"report", file, "-o", to},
                                             {"export", file},
                                             {"export", file, "--format", "npy", "-o", to}}) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), words.begin(), words.end());
      return more;
    };
    refused(with({"--variant", "god"}), "did you mean 'good'?");
    refused(with({"--workload", "fauty"}), "did you mean 'faulty'?");
    refused(with({"--case", "nowhere"}), "no case ID starts with 'nowhere'");
    for (const char* option : {"--variant", "--workload", "--case"})
      refused(with({option, ""}), "expected a non-empty name");
  }
  CHECK_FALSE(std::filesystem::exists(to));
  CHECK(show({"--workload", "faulty"}).exit_status == 0);
  // A case is also selected by its workload.
  CHECK(show({"--case", "faulty"}).output == show({"--workload", "faulty"}).output);
}

TEST_CASE("--launches shows the launches of each variant") {
  const ProcessResult result = show({"--launches"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("Launches\n") && Contains("runs on the CPU"));
}

TEST_CASE("A partly stored array is marked, with statistics of the whole") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nparams: {n: 200000}\n"
                               "variants: [reference, good]\n");
  REQUIRE(test::command({"run", folder.job(), "-s", "output.arrays=sample"}).exit_status == 0);
  const ProcessResult shown = test::command({"show", folder.results()});
  CHECK_THAT(shown.output, Contains("Stored in part: output ") && Contains(" of 2 results"));
  const Json all = Json::parse(test::command({"show", folder.results(), "--json"}).output);
  const Json& output = all[1].at("outputs").at(0);
  CHECK(output.at("stride") == 3);
  CHECK(output.at("nonfinite") == 0);
  CHECK(output.at("minimum") <= output.at("mean"));
  CHECK(output.at("mean") <= output.at("maximum"));

  REQUIRE(
      test::command({"run", "--overwrite", folder.job(), "-s", "output.arrays=none"}).exit_status ==
      0);
  const Json none = Json::parse(test::command({"show", folder.results(), "--json"}).output);
  CHECK(none[1].at("outputs").at(0).at("stride") == 0);
}

TEST_CASE("Colours are for terminals, and on request") {
  CHECK(show({}).output.find('\x1b') == std::string::npos);
  CHECK_THAT(show({"--color", "always"}).output, Contains("\x1b[32mok"));
  CHECK(show({"--color", "sometimes"}).exit_status == 2);
  const auto on_terminal = [](const std::string& setting) {
    const std::string script =
        setting + " stty cols 60; " + test::executable() + " show " + results().results();
    return run_process({"script", "-qec", "sh -c '" + script + "'", "/dev/null"});
  };
  const ProcessResult coloured = on_terminal("export TERM=xterm;");
  INFO(coloured.output);
  CHECK(coloured.exit_status == 0);
  CHECK_THAT(coloured.output, Contains("\x1b[32mok"));
  // Sixty columns: the device column is dropped, with a note.
  CHECK(coloured.output.find("Hidden at this width: device") != std::string::npos);
  CHECK(coloured.output.find("host ") == std::string::npos);
  const ProcessResult plain = on_terminal("export TERM=xterm NO_COLOR=1;");
  CHECK(plain.output.find('\x1b') == std::string::npos);
}

TEST_CASE("A reader that closes the pipe early causes no error message") {
  const ProcessResult result = run_process(
      {"sh", "-c", test::executable() + " show " + results().results() + " | head -n 1"});
  CHECK(result.exit_status == 0);
  CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 1);
}

TEST_CASE("A file that is no result file is refused by name") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "text.h5") << "not HDF5";
  std::filesystem::create_directory(folder / "empty");
  for (const char* name : {"text.h5", "gone.h5", "empty"}) {
    const std::string path = (folder / name).string();
    const ProcessResult result = test::command({"show", path});
    CAPTURE(path, result.output);
    CHECK(result.exit_status == 2);
    CHECK(result.output.starts_with("kernelbatch: "));
    CHECK_THAT(result.output, Contains(path));
  }
}

TEST_CASE("Only unreadable shards end with 6") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "c1.h5") << "damaged";
  const ProcessResult result = test::command({"show", folder.path().string()});
  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("of case 'c1' cannot be read"));
}

}  // namespace
}  // namespace kernelbatch
