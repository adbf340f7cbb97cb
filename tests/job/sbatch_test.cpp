// Scripts for sbatch, with any names of files and folders.
#include "core/job/sbatch.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "core/base/file.hpp"
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

/// A task's script with recorded answers of Slurm; `run` exits with `status`, the merge with
/// `merged`.
class ScriptedTask {
 public:
  ScriptedTask(int status, const std::string& squeue, int merged = 0) {
    fs::create_directories(logs());
    program("squeue", "cat <<'END'\n" + squeue + "END\n");
    program("scontrol", "echo requeued \"$2\"\n");
    program("kernelbatch", fmt::format("echo \"$1\"; [ \"$1\" != run ] || exit {}\n"
                                       "[ \"$1\" != status ] || exit {}\n",
                                       status, merged));
    program("sleep", "");
  }
  fs::path logs() const { return folder_ / "logs"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(logs() / name) << text;
  }
  std::string exits() const { return read_file(logs() / "8_1.exit"); }

  ProcessResult run(const std::string& restarts, const SlurmSpec& slurm = {}) const {
    Submission submission = submission_of("j.yaml", folder_.path());
    submission.command = {"kernelbatch", "run"};
    submission.merge = {"kernelbatch", "merge"};
    std::ofstream(folder_ / "script") << run_script(submission, slurm);
    return run_process({"env", "PATH=" + folder_.path().string() + ":/usr/bin:/bin",
                        "SLURM_ARRAY_JOB_ID=8", "SLURM_ARRAY_TASK_ID=1",
                        "SLURM_RESTART_COUNT=" + restarts, "bash", (folder_ / "script").string()});
  }

 private:
  void program(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path) << "#!/bin/bash\n" << text;
    fs::permissions(path, fs::perms::owner_all);
  }
  test::TemporaryFolder folder_;
};

TEST_CASE("The last task that ends merges") {
  const std::string own = "1           0           R   \n";
  const auto merges = [&](const std::string& others, const std::string& exits) {
    const ScriptedTask task(0, own + others);
    task.write("8_0.exit", exits);
    const ProcessResult result = task.run("0");
    INFO(result.output);
    CHECK(result.exit_status == 0);
    CHECK(task.exits() == "0 0\n");
    return result.output == "run\nmerge\nstatus\n";
  };
  CHECK(merges("", ""));
  CHECK_FALSE(merges("0           0           R   \n", ""));
  CHECK_FALSE(merges("0           0           PD  \n", ""));
  CHECK(merges("0           0           R   \n", "0 0\n"));
  // Requeued since.
  CHECK_FALSE(merges("0           1           PD  \n", "0 75\n"));
  CHECK(merges("0           1           R   \n", "0 75\n1 75\n"));
  // Ended without an exit file, and still completing.
  CHECK(merges("0           0           CG  \n", ""));
}

TEST_CASE("A merge with missing cases is the end of its task") {
  const ScriptedTask task(0, "1           0           R   \n", 75);
  CHECK(task.run("0").exit_status == 75);
  CHECK(task.exits() == "0 0\n0 75\n");
}

TEST_CASE("A task without an answer of squeue does not merge") {
  const ScriptedTask task(0, "");
  CHECK(task.run("0").output == "run\n");
}

TEST_CASE("A task is requeued until two restarts give no new result") {
  const auto is_requeued = [](const std::string& restarts, const std::string& log) {
    const ScriptedTask task(75, "0           0           R   \n");
    task.write("8_1.restarts", log);
    const ProcessResult result = task.run(restarts);
    CHECK(result.exit_status == 75);
    CHECK(task.exits() == restarts + " 75\n");
    const bool was_requeued = result.output == "run\nrequeued 8_1\n";
    if (!was_requeued)
      CHECK(result.output ==
            "run\nkernelbatch: not requeued, two restarts gave no new result: raw n=1: why\n");
    return was_requeued;
  };
  CHECK(is_requeued("0", "0 0 raw n=1: why\n"));
  CHECK(is_requeued("1", "0 0 raw n=1: why\n1 0 raw n=1: why\n"));
  CHECK_FALSE(is_requeued("2", "0 3\n1 0 raw n=1: why\n2 0 raw n=1: why\n"));
  // Another rank of the task had results.
  CHECK(is_requeued("2", "1 0 raw n=1: why\n2 0 raw n=1: why\n2 4\n"));
  // The first restart was preempted, which is no evidence.
  CHECK(is_requeued("2", "0 0 raw n=1: why\n2 0 raw n=1: why\n"));
}

TEST_CASE("slurm.merge: job keeps the merge out of the tasks, and may have settings") {
  SlurmSpec slurm =
      parse_job("workload: mse\nslurm: {partition: a, time: 1h, merge: job}\n", "j").slurm;
  const Submission submission = submission_of("j.yaml", "/f");
  CHECK_THAT(run_script(submission, slurm), !Contains("has_others"));
  CHECK_THAT(merge_script(submission, slurm),
             Contains("--time=01:00:00\n") && Contains("--partition=a\n"));
  slurm = parse_job("workload: mse\nslurm: {partition: a, merge: {job: {partition: b, gpus: 1}}}\n",
                    "j")
              .slurm;
  CHECK_THAT(merge_script(submission, slurm),
             Contains("--partition=b\n") && Contains("--gpus=1\n") && !Contains("--partition=a\n"));
  CHECK(parse_job("workload: mse\nslurm: {merge: last}\n", "j").slurm.merge_job.empty());
  CHECK_THAT(test::message_of([] { parse_job("workload: mse\nslurm: {merge: jobs}\n", "j"); }),
             Contains("did you mean") || Contains("job"));
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
