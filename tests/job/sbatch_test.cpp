// Scripts for sbatch, with any names of files and folders.
#include "core/job/sbatch.hpp"

#include <fstream>
#include <set>

#include "core/base/process.hpp"
#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const char* const kHostile[] = {"a; touch PWNED",    "$(touch PWNED)", "`touch PWNED`",
                                "'; touch PWNED; '", "a\ntouch PWNED", "\"; touch PWNED; \"",
                                "a && touch PWNED",  "| touch PWNED",  "two words"};

Submission submission_of(const std::string& word, const fs::path& folder) {
  return {.job_name = "job",
          .job_file = word,
          .program = "kernelbatch",
          .cases = 4,
          .tasks = 2,
          .throttle = "",
          .folder = folder.string(),
          .log_folder = (folder / "logs").string(),
          .results = (folder / "r.h5").string(),
          .command = {"echo", "run", word},
          .merge = {"echo", "merge", word}};
}

TEST_CASE("Words of a command reach it as they are, and no shell reads them") {
  for (const std::string word : kHostile) {
    INFO(word);
    const test::TemporaryFolder folder;
    const Submission submission = submission_of(word, folder.path());
    for (const std::string& script : {run_script(submission, {}), merge_script(submission, {})}) {
      const fs::path file = folder / "script";
      std::ofstream(file) << script;
      const ProcessResult result = run_process(
          {"env", "-C", folder.path().string(), "SLURM_ARRAY_TASK_ID=0", "bash", file.string()});
      CHECK(result.exit_status == 0);
      CHECK_THAT(result.output, Contains(word));
    }
    CHECK_FALSE(fs::exists(folder / "PWNED"));
  }
}

TEST_CASE("A folder with any name is entered, or the script refused") {
  for (const std::string word : kHostile) {
    INFO(word);
    const test::TemporaryFolder outer;
    const fs::path folder = outer / word;
    fs::create_directories(folder);
    Submission submission = submission_of("j.yaml", folder);
    submission.command = {"mkdir", "-p", "entered", "--"};
    if (word.find('\n') != std::string::npos) {
      CHECK_THAT(test::message_of([&] { run_script(submission, {}); }),
                 Contains("a script cannot contain a line break"));
      CHECK_THAT(test::message_of([&] { merge_script(submission, {}); }),
                 Contains("a script cannot contain a line break"));
      continue;
    }
    const std::string script = run_script(submission, {});
    CHECK_THAT(script, Contains("#SBATCH --output=" +
                                shell_quoted((folder / "logs").string() + "/%A_%a.log") + "\n"));
    std::ofstream(outer / "script") << script;
    run_process({"env", "-C", outer.path().string(), "SLURM_ARRAY_TASK_ID=0", "bash",
                 (outer / "script").string()});
    CHECK_FALSE(fs::exists(outer / "PWNED"));
    CHECK(fs::exists(folder / "entered"));
    CHECK_FALSE(fs::exists(folder / "PWNED"));
  }
}

TEST_CASE("A value is one word for sbatch, and slurm.job_name is the job's name there") {
  const Submission submission = submission_of("j.yaml", "/f%j");
  const SlurmSpec slurm{{{"comment", {"my long run", {}, true}},
                         {"job_name", {"it's # one", {}, true}},
                         {"constraint", {"a\\b", {}, true}},
                         {"partition", {"gpu", {}, true}}},
                        {{"--exclude=n1 n2", {}, true}, {"--exclusive --qos=x", {}, true}}};
  const std::string script = run_script(submission, slurm);
  for (const char* line :
       {"#SBATCH --comment='my long run'\n", "#SBATCH --job-name='it'\\''s # one'\n",
        "#SBATCH --constraint='a\\\\b'\n", "#SBATCH --partition=gpu\n",
        "#SBATCH --exclude='n1 n2'\n", "#SBATCH --exclusive --qos=x\n",
        "#SBATCH --output=/f%%j/logs/%A_%a.log\n"})
    CHECK_THAT(script, Contains(line));
  CHECK_THAT(script, !Contains("--job-name=job"));
  CHECK_THAT(merge_script(submission, slurm), Contains("--job-name='it'\\''s # one-merge'\n"));
}

TEST_CASE("A key becomes an option of its kind") {
  const SlurmSpec slurm =
      parse_job(
          "workload: mse\nslurm: {exclusive: true, nice: 5, contiguous: true, hold: false, "
          "no_kill: false, mem_per_cpu: 4G, licenses: 'a:1,b', cpus_per_gpu: 4k, time_min: "
          "10min, clusters: 'c1,c2', oversubscribe: True, propagate: MEMLOCK}",
          "j.yaml")
          .slurm;
  const std::string script = run_script(submission_of("j.yaml", "/f"), slurm);
  for (const char* line : {"--exclusive", "--nice=5", "--contiguous", "--mem-per-cpu=4G",
                           "--licenses=a:1,b", "--cpus-per-gpu=4000", "--time-min=00:10:00",
                           "--clusters=c1,c2", "--oversubscribe", "--propagate=MEMLOCK"})
    CHECK_THAT(script, Contains("#SBATCH " + std::string(line) + "\n"));
  for (const char* option : {"--hold", "--no-kill"}) CHECK_THAT(script, !Contains(option));
}

TEST_CASE("A value of the wrong kind and a misspelled key are reported with their place") {
  const auto message = [](const std::string& slurm) {
    return test::message_of([&] { parse_job("workload: mse\nslurm: {" + slurm + "}", "j.yaml"); });
  };
  CHECK_THAT(message("contiguous: maybe"), Contains("j.yaml:2:21: 'contiguous'"));
  CHECK_THAT(message("ntasks_per_node: 0"), Contains("'ntasks_per_node' must be from 1"));
  CHECK_THAT(message("ntasks_per_node: many"), Contains("ntasks_per_node"));
  CHECK_THAT(message("mem_per_cpus: 4G"), Contains("did you mean 'mem_per_cpu'?"));
}

TEST_CASE("A setting with a line break is refused") {
  Submission submission = submission_of("j.yaml", "/f");
  const SlurmSpec partition{{{"partition", {"gpu\ntouch PWNED", {}, true}}}, {}};
  CHECK_THAT(test::message_of([&] { run_script(submission, partition); }), Contains("line break"));
  const SlurmSpec extra{{}, {{"--exclusive\rtouch PWNED", {}, true}}};
  CHECK_THAT(test::message_of([&] { run_script(submission, extra); }), Contains("line break"));
  submission.job_name = "a\ntouch PWNED";
  CHECK_THAT(test::message_of([&] { run_script(submission, {}); }), Contains("line break"));
  CHECK_THAT(test::message_of([&] { merge_script(submission, {}); }), Contains("line break"));
}

TEST_CASE("A job is named after its file, as far as valid") {
  const auto name = [](const std::string& path) { return parse_job("workload: mse", path).name; };
  CHECK(name("jobs/quick-1.yaml") == "quick-1");
  CHECK(name("a; touch PWNED.yaml") == "a__touch_PWNED");
  CHECK(name("a\n$(b)'\".yaml") == "a___b___");
  CHECK(name("-o.yaml") == "_o");
  CHECK(name(".hidden") == "_hidden");
}

}  // namespace
}  // namespace kernelbatch
