// `submit` and `status` with programs in the place of Slurm's that print recorded texts.
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// A job of two cases, and a Slurm that prints the content of files.
class FakeSlurm {
 public:
  FakeSlurm()
      : job_("workload: faulty\nparams: {n: [100, 200]}\nvariants: [good]\n" + test::kShort) {
    fs::create_directory(folder_ / "bin");
    for (const char* name : {"squeue", "scontrol", "sinfo", "sacct", "sbatch"}) {
      const fs::path file = folder_ / "bin" / name;
      const std::string text = (folder_ / name).string();
      std::ofstream(file) << "#!/bin/sh\ncat " << text << "\n[ -f " << text << ".next ] && mv "
                          << text << ".next " << text << "\nexit $(cat " << text << ".code)\n";
      fs::permissions(file, fs::perms::owner_all);
      answer(name, "");
    }
    answer("sbatch", "812\n");
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  FakeSlurm(const FakeSlurm&) = delete;
  FakeSlurm& operator=(const FakeSlurm&) = delete;
  ~FakeSlurm() { ::setenv("PATH", path_.c_str(), 1); }

  void answer(const std::string& program, const std::string& text, int code = 0) const {
    std::ofstream(folder_ / program) << text;
    std::ofstream(folder_ / (program + ".code")) << code << "\n";
  }
  /// From the call after the next one.
  void answer_next(const std::string& program, const std::string& text) const {
    std::ofstream(folder_ / (program + ".next")) << text;
  }
  ProcessResult submit(const std::vector<std::string>& more = {}) const {
    return run("submit", job_.job(), more);
  }
  ProcessResult status(const std::vector<std::string>& more = {}) const {
    return run("status", job_.results(), more);
  }
  std::string logs() const { return fs::path(job_.results()).parent_path() / "job.logs"; }
  const test::JobFolder& job() const { return job_; }

 private:
  static ProcessResult run(const std::string& name, const std::string& file,
                           const std::vector<std::string>& more) {
    std::vector<std::string> words{name, file};
    words.insert(words.end(), more.begin(), more.end());
    return test::command(words);
  }

  std::string path_ = environment("PATH").value_or("");
  test::TemporaryFolder folder_;
  test::JobFolder job_;
};

TEST_CASE("A submitted job is known to status, and is not submitted twice") {
  const FakeSlurm slurm;
  REQUIRE(slurm.submit().exit_status == 0);
  const std::string user =
      nlohmann::json::parse(read_file(slurm.job().results() + ".slurm"))["user"];
  slurm.answer("squeue", "812|RUNNING|None|0:01|n1|" + user + "\n");
  const ProcessResult status = slurm.status();
  CHECK(status.exit_status == 75);
  CHECK_THAT(status.output,
             Contains("done       0 of 2 cases") && Contains("Slurm 812  1 running; user " + user));
  const ProcessResult again = slurm.submit();
  CHECK(again.exit_status == 2);
  CHECK_THAT(again.output, Contains("`scancel 812`") && Contains("--again"));
  CHECK(slurm.submit({"--again"}).exit_status == 0);
  // Slurm has forgotten the job.
  slurm.answer("squeue", "slurm_load_jobs error: Invalid job id specified\n", 1);
  std::ofstream(slurm.logs() + "/812.exit") << "0 4\n";
  std::ofstream(slurm.logs() + "/812.log") << "kernelbatch: no GPU\n";
  CHECK_THAT(slurm.status().output, Contains("812  FAILED 4:0\n      kernelbatch: no GPU\n") &&
                                        Contains("FAILED 4:0: no usable GPU"));
}

TEST_CASE("Nothing is submitted if nothing is missing") {
  const FakeSlurm slurm;
  REQUIRE(test::command({"run", slurm.job().job(), "-q"}).exit_status == 0);
  slurm.answer("sbatch", "sbatch: error: called\n", 1);
  const ProcessResult result = slurm.submit();
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("nothing to submit: all 2 cases"));
  CHECK_THAT(slurm.submit({"-p", "n=100,200,300", "--dry-run"}).output,
             Contains(": 1 case in 1 task"));
}

TEST_CASE("A refused job leaves no record, and the message names the key") {
  const FakeSlurm slurm;
  slurm.answer("sbatch",
               "sbatch: error: Batch job submission failed: Invalid license specification\n", 1);
  const ProcessResult result = slurm.submit({"-s", "slurm.licenses=foo"});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("slurm.licenses: use one of"));
  CHECK(slurm.status().exit_status == 2);
}

TEST_CASE("The status is repeated until every task has ended") {
  const FakeSlurm slurm;
  REQUIRE(slurm.submit().exit_status == 0);
  slurm.answer("squeue", "812|RUNNING|None|0:01|n1|\n");
  slurm.answer_next("squeue", "812|CANCELLED|None|0:01|n1|\n");
  const ProcessResult ended = slurm.status({"--watch", "--interval", "0"});
  CHECK(ended.exit_status == 75);
  CHECK_THAT(ended.output, Contains("812  1 running"));
  CHECK_THAT(ended.output, Contains("CANCELLED: if that was not intended, submit again"));
}

}  // namespace
}  // namespace kernelbatch
