// The file of `kernelbatch run`: results are replaced only on request, and `output.history` keeps
// every run.
#include <algorithm>
#include <vector>

#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using test::EnvironmentVariable;

const std::string kWork = "workload: faulty\nparams: {n: 100}\nvariants: [reference, good]\n";

test::JobFolder plain_job() { return test::JobFolder(test::kShort + kWork); }

/// A job that keeps every run.
class KeptJob {
 public:
  KeptJob() {
    folder_.write("job.yaml", test::kShort + kWork + "output: {history: true, file: \"" +
                                  folder_.results() + "\"}\n");
  }
  ProcessResult run(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"run", folder_.job()};
    words.insert(words.end(), more.begin(), more.end());
    return test::command(words);
  }
  /// Kept runs, by name.
  std::vector<std::string> runs() const {
    std::vector<std::string> names;
    const fs::path kept = folder_.path() / "out";
    if (fs::exists(kept))
      for (const auto& entry : fs::directory_iterator(kept))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  const test::JobFolder& folder() const { return folder_; }
  std::string last() const { return folder_.results(); }
  void git(std::vector<std::string> words) const {
    std::vector<std::string> command{"git",          "-C",          folder_.path().string(),
                                     "-c",           "user.name=n", "-c",
                                     "user.email=e", "-c",          "commit.gpgsign=false"};
    command.insert(command.end(), words.begin(), words.end());
    const ProcessResult done = run_process(command);
    INFO(done.output);
    REQUIRE(done.succeeded());
  }

 private:
  test::JobFolder folder_ = plain_job();
};

std::string environment_of(const fs::path& file, const std::string& name) {
  const ResultFile read = read_results(file, Samples::kOmit);
  REQUIRE(read.environments.size() == 1);
  for (const auto& [key, value] : read.environments[0].values)
    if (key == name) return to_text(value);
  return "none";
}

TEST_CASE("Results are replaced only on request") {
  const EnvironmentVariable unset("KERNELBATCH_OVERWRITE", "");
  const test::JobFolder folder = plain_job();
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  const FileIdentity before = identity_of(folder.results());

  const ProcessResult refused = test::command({"run", folder.job()});
  INFO(refused.output);
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.output, Contains("has 2 of these results already"));
  CHECK_THAT(refused.output, Contains("--resume"));
  CHECK_THAT(refused.output, Contains("--overwrite"));
  CHECK_THAT(refused.output, Contains("output: {history: true}"));
  CHECK(identity_of(folder.results()) == before);

  const ProcessResult resumed = test::command({"run", "--resume", folder.job()});
  CHECK(resumed.exit_status == 0);
  CHECK_THAT(resumed.output, Contains("2 of 2 results are from earlier runs"));

  const auto started = [&] {
    return read_results(folder.results(), Samples::kOmit).results.at(0).start_ns;
  };
  const std::int64_t first = started();
  CHECK(test::command({"run", "--overwrite", folder.job()}).exit_status == 0);
  const std::int64_t second = started();
  CHECK(second > first);
  const EnvironmentVariable always("KERNELBATCH_OVERWRITE", "1");
  CHECK(test::command({"run", folder.job()}).exit_status == 0);
  CHECK(started() > second);
}

TEST_CASE("New cases and variants are added silently") {
  const test::JobFolder folder = plain_job();
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  CHECK(test::command({"run", folder.job(), "-p", "n=200"}).exit_status == 0);
  CHECK(read_results(folder.results(), Samples::kOmit).results.size() == 4);
  CHECK(test::command({"run", folder.job(), "-p", "n=100,300"}).exit_status == 2);
  CHECK(read_results(folder.results(), Samples::kOmit).results.size() == 4);
}

TEST_CASE("None of several jobs runs if one of them would replace results") {
  const test::JobFolder first = plain_job(), second = plain_job();
  second.write("job.yaml", test::kShort + "name: other\n" + kWork + "output: {file: \"" +
                               second.results() + "\"}\n");
  REQUIRE(test::command({"run", second.job()}).exit_status == 0);
  CHECK(test::command({"run", first.job(), second.job()}).exit_status == 2);
  CHECK_FALSE(fs::exists(first.results()));
}

TEST_CASE("Every run is kept, and the job's file is the last one") {
  const KeptJob job;
  REQUIRE(job.run().exit_status == 0);
  const std::string first = job.runs().at(0);
  REQUIRE(job.run().exit_status == 0);
  REQUIRE(job.runs().size() == 2);
  const std::string second = job.runs()[job.runs()[0] == first ? 1 : 0];
  CHECK(fs::is_symlink(job.last()));
  // Relative: the folder may be moved.
  CHECK(fs::read_symlink(job.last()).is_relative());
  CHECK(fs::equivalent(job.last(), job.folder().path() / "out" / second));
  CHECK(read_results(job.last(), Samples::kOmit).results.size() == 2);
  CHECK(test::command({"show", job.last()}).exit_status == 0);
}

TEST_CASE("Changes since the last run are reported after each run") {
  const KeptJob job;
  CHECK_THAT(job.run().output, !Contains("Since the last run"));
  const ProcessResult second = job.run();
  // Host times of one run per side decide nothing.
  CHECK_THAT(second.output,
             Contains("Since the last run, ") && Contains(".h5: 1 UNSURE; 1 time not compared: "));
  CHECK_THAT(job.run({"-q"}).output, !Contains("Since the last run"));
}

TEST_CASE("An earlier result file is kept, too") {
  const KeptJob job;
  REQUIRE(job.run({"-s", "output.history=false"}).exit_status == 0);
  const FileIdentity before = identity_of(job.last());
  REQUIRE(job.run().exit_status == 0);
  const std::vector<std::string> runs = job.runs();
  REQUIRE(runs.size() == 2);
  const auto moved = std::ranges::find_if(
      runs, [](const std::string& name) { return name.ends_with("-before.h5"); });
  REQUIRE(moved != runs.end());
  CHECK(identity_of(job.folder().path() / "out" / *moved) == before);
  // A run that keeps nothing does not change the kept ones.
  REQUIRE(job.run({"-s", "output.history=false", "--overwrite"}).exit_status == 0);
  CHECK(job.runs() == runs);
  CHECK_FALSE(fs::is_symlink(job.last()));
}

TEST_CASE("A resumed run continues the last kept one") {
  const KeptJob job;
  REQUIRE(job.run({"--only", "variant=reference"}).exit_status == 0);
  REQUIRE(job.run({"--resume"}).exit_status == 0);
  CHECK(job.runs().size() == 1);
  CHECK(read_results(job.last(), Samples::kOmit).results.size() == 2);
}

TEST_CASE("Processes of one run write one file") {
  const KeptJob job;
  const ProcessResult done = job.run({"-p", "n=[10,20,30]", "--jobs", "2"});
  INFO(done.output);
  REQUIRE(done.exit_status == 0);
  CHECK(job.runs().size() == 1);
  CHECK(read_results(job.last(), Samples::kOmit).results.size() == 6);
}

TEST_CASE("Tasks of an array write one file") {
  const KeptJob job;
  const EnvironmentVariable stamp("KERNELBATCH_RUN_STAMP", "array7");
  REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "1/2"}).exit_status == 0);
  REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "2/2"}).exit_status == 0);
  CHECK(job.runs() == std::vector<std::string>{"array7.h5.d"});
  // Requeued, it continues in its file; submitted again, it is another run.
  REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "1/2", "--resume"}).exit_status == 0);
  CHECK(job.runs().size() == 1);
  {
    const EnvironmentVariable other("KERNELBATCH_RUN_STAMP", "array8");
    REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "1/2", "--resume"}).exit_status == 0);
    CHECK(job.runs().size() == 2);
  }
  const EnvironmentVariable bad("KERNELBATCH_RUN_STAMP", "../x");
  const ProcessResult refused = job.run();
  CHECK(refused.exit_status == 2);
  CHECK_THAT(refused.output, Contains("KERNELBATCH_RUN_STAMP '../x'"));
}

TEST_CASE("A run that is merged later becomes the last one, unless there is a later one") {
  const KeptJob job;
  const auto run_array = [&](const std::string& name) {
    const EnvironmentVariable stamp("KERNELBATCH_RUN_STAMP", name);
    REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "1/2"}).exit_status == 0);
    REQUIRE(job.run({"-p", "n=[10,20]", "--shard", "2/2"}).exit_status == 0);
    return (job.folder().path() / "out" / (name + ".h5")).string();
  };
  const std::string first = run_array("array7"), second = run_array("array8");
  CHECK(!fs::exists(job.last()));
  const ProcessResult merged = test::command({"merge", second});
  CHECK(merged.exit_status == 0);
  CHECK_THAT(merged.output, Contains("out.h5: now the last run"));
  CHECK(fs::read_symlink(job.last()) == "out/array8.h5");
  REQUIRE(test::command({"merge", first}).exit_status == 0);
  CHECK(fs::read_symlink(job.last()) == "out/array8.h5");
  // A job that keeps no runs gets no link.
  const test::JobFolder plain = plain_job();
  REQUIRE(test::command({"run", plain.job(), "--shard", "1/1"}).exit_status == 0);
  CHECK_THAT(test::command({"merge", plain.results()}).output, !Contains("last run"));
}

TEST_CASE("The commit of the job's files is recorded") {
  if (!find_program("git")) {
    WARN("no git: not checked");
    return;
  }
  const KeptJob job;
  REQUIRE(job.run().exit_status == 0);
  CHECK(environment_of(job.last(), "commit").empty());
  job.git({"init", "-q", "-b", "trunk"});
  job.git({"add", "job.yaml"});
  job.git({"commit", "-q", "-m", "m"});
  REQUIRE(job.run().exit_status == 0);
  const std::string commit = environment_of(job.last(), "commit");
  CHECK(commit.size() == 40);
  CHECK(environment_of(job.last(), "branch") == "trunk");
  CHECK(std::stoll(environment_of(job.last(), "commit_time")) > 1'700'000'000);
  CHECK(fs::read_symlink(job.last()).string().ends_with("-" + commit.substr(0, 7) + ".h5"));
  job.folder().write("job.yaml", read_file(job.folder().job()) + "# changed\n");
  REQUIRE(job.run().exit_status == 0);
  CHECK(environment_of(job.last(), "commit") == commit + "-dirty");
  const EnvironmentVariable said("KERNELBATCH_COMMIT", "abc");
  REQUIRE(job.run().exit_status == 0);
  CHECK(environment_of(job.last(), "commit") == "abc");
}

}  // namespace
}  // namespace kernelbatch
