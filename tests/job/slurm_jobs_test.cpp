#include "core/job/slurm_jobs.hpp"

#include <unistd.h>

#include <fstream>

#include "core/job/slurm_advice.hpp"
#include "core/job/submissions.hpp"
#include "core/job/task_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("squeue's lines are tasks; only one that waits has a reason") {
  const auto tasks = parse_squeue(
      "812_3|RUNNING|None|1:05|n1|ann\n"
      "812_4|PENDING|Resources|0:00||ann\n"
      "813|PENDING|Dependency|0:00||ann\n");
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].id == "812_3");
  CHECK(tasks[0].job() == "812");
  CHECK(tasks[0].reason.empty());
  CHECK(tasks[0].node == "n1");
  CHECK(tasks[0].user == "ann");
  CHECK(tasks[1].reason == "Resources");
  CHECK(tasks[1].is_waiting());
  CHECK(tasks[2].job() == "813");
}

TEST_CASE("Every attempt of a task is a record, the last of which is its state") {
  const auto tasks = parse_sacct(
      "812_0|NODE_FAIL|0:0|00:00:31|n2\n"
      "812_0|PREEMPTED|0:0|00:01:00|n1\n"
      "812_0|TIMEOUT|0:0|00:30:02|n1\n"
      "812_1|CANCELLED by 1000|0:15|00:00:02|n1\n"
      "812_2|OUT_OF_MEMORY|0:125|00:00:09|n2\n"
      "812_[3-9%4]|PENDING|0:0|00:00:00|None assigned\n");
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].state == "TIMEOUT");
  CHECK(tasks[0].elapsed == "00:30:02");
  CHECK(tasks[0].earlier == std::vector<std::string>{"NODE_FAIL", "PREEMPTED"});
  CHECK(tasks[1].state == "CANCELLED");
  CHECK(tasks[1].exit_code == "0:15");
  CHECK(tasks[2].state == "OUT_OF_MEMORY");
}

// Recorded from Slurm 22.05; middle parts are left out.
constexpr const char* kScontrol =
    "JobId=2 ArrayJobId=1 ArrayTaskId=0 JobName=my job UserId=root(0) Nice=0 Account=(null) "
    "JobState=FAILED Reason=NonZeroExitCode Dependency=(null) Requeue=1 Restarts=2 BatchFlag=1 "
    "ExitCode=3:0 RunTime=00:00:01 TimeLimit=00:30:00 NodeList=n1 StdErr=/w/my logs/1_0.log "
    "StdIn=/dev/null StdOut=/w/my logs/n=1 x=2/1_0.log Power= \n"
    "JobId=1 ArrayJobId=1 ArrayTaskId=3-9%4 JobName=job UserId=root(0) JobState=PENDING "
    "Reason=Resources Restarts=0 ExitCode=0:0 RunTime=00:00:00 NodeList=(null) StdOut=/w/x \n"
    "JobId=7 JobName=job UserId=bob(1000) JobState=OUT_OF_MEMORY Reason=OutOfMemory Restarts=0 "
    "ExitCode=0:125 RunTime=00:00:09 NodeList=n2 StdOut=/w/7.log \n";

TEST_CASE("scontrol's records have exit codes, restarts and logs") {
  const auto tasks = parse_scontrol(kScontrol);
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0].id == "1_0");
  CHECK(tasks[0].user == "root");
  CHECK(tasks[0].restarts == 2);
  CHECK(tasks[0].exit_code == "3:0");
  CHECK(tasks[0].log == "/w/my logs/n=1 x=2/1_0.log");
  CHECK(tasks[1].id == "7");
  CHECK(tasks[1].exit_code == "0:125");
  CHECK(parse_scontrol("slurm_load_jobs error: Invalid job id specified\n").empty());
}

TEST_CASE("An ended task counts as an earlier attempt only if it was restarted") {
  const auto squeue = [](const std::string& state) {
    return parse_squeue("1_0|" + state + "|None|0:01|n1|root\n");
  };
  const auto failed = parse_sacct("1_0|FAILED|3:0|00:00:01|n1\n");
  const auto same = join_answers(failed, squeue("FAILED"), {});
  CHECK(same.at(0).restarts == 0);
  const auto again = join_answers(failed, squeue("RUNNING"), {});
  CHECK(again.at(0).earlier == std::vector<std::string>{"FAILED"});
  const auto restarted = join_answers({}, squeue("FAILED"), parse_scontrol(kScontrol));
  CHECK(restarted.at(0).restarts == 2);
  CHECK(restarted.at(0).exit_code == "3:0");
}

TEST_CASE("Every state that needs an action has its advice") {
  const auto advice = [](const std::string& state, const std::string& reason = "",
                         const std::string& exit_code = "") {
    return advice_for({.id = "812_3", .state = state, .reason = reason, .exit_code = exit_code});
  };
  for (const char* state : {"FAILED", "CANCELLED", "OUT_OF_MEMORY", "TIMEOUT", "NODE_FAIL",
                            "PREEMPTED", "BOOT_FAIL", "UNKNOWN"})
    CHECK_THAT(advice(state), Contains(std::string(state) + ":"));
  CHECK_THAT(advice("PENDING", "DependencyNeverSatisfied"), Contains("`scancel 812`"));
  CHECK_THAT(advice("PENDING", "launch failed requeued held"), Contains("`scontrol release 812`"));
  CHECK_THAT(advice("FAILED", "", "4:0"), Contains("FAILED 4:0: no usable GPU"));
  CHECK_THAT(advice("FAILED", "", "75:0"), Contains("submit again"));
  for (const char* state : {"RUNNING", "COMPLETED"}) CHECK(advice(state).empty());
  CHECK(advice("PENDING", "Priority").empty());
}

TEST_CASE("A forgotten task has the state that its files show") {
  const test::TemporaryFolder folder;
  const SlurmSubmission submission{.id = "812", .tasks = 5, .log_folder = folder.path().string()};
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("812_0.exit", "0 75\n1 0\n");
  write("812_1.exit", "0 3\n");
  write("812_1.log", "kernelbatch: Slurm ends this job in 9 s\nkernelbatch: 2 failed\n  done\n");
  write("812_2.log",
        "slurmstepd-n1: error: *** JOB 5 ON n1 CANCELLED AT 2026-11-28T04:24:22 DUE TO TIME LIMIT "
        "***\n");
  write("812_3.log",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=814.batch. Some of the step tasks "
        "have been OOM Killed.\n");
  std::vector<SlurmTask> tasks;
  for (const std::string& id : task_ids(submission)) tasks.push_back(ended_task(submission, id));
  REQUIRE(tasks.size() == 5);
  CHECK(tasks[0].state == "COMPLETED");
  CHECK(tasks[0].restarts == 1);
  CHECK(tasks[1].state == "FAILED");
  CHECK(tasks[1].exit_code == "3:0");
  CHECK(tasks[1].error == "kernelbatch: 2 failed");
  CHECK(tasks[2].state == "TIMEOUT");
  CHECK(tasks[3].state == "OUT_OF_MEMORY");
  CHECK(tasks[4].state == "UNKNOWN");
}

TEST_CASE("An array that was cancelled before its first task is listed as one job") {
  auto tasks = parse_squeue("6|CANCELLED|None|0:00||root\n7|CANCELLED|Dependency|0:00||root\n");
  add_unlisted_tasks(tasks, {.id = "6", .tasks = 3});
  add_unlisted_tasks(tasks, {.id = "7", .tasks = 1});
  REQUIRE(tasks.size() == 4);
  for (const SlurmTask& task : tasks) CHECK(task.state == "CANCELLED");
  CHECK(tasks[0].id == "7");
  CHECK(tasks[3].id == "6_2");
  std::vector<SlurmTask> unknown;
  add_unlisted_tasks(unknown, {.id = "8"});
  CHECK(unknown.empty());
  add_unlisted_tasks(unknown, {.id = "8", .tasks = 2, .log_folder = "/nowhere"});
  REQUIRE(unknown.size() == 2);
  CHECK(unknown[1].id == "8_1");
  CHECK(unknown[1].state == "UNKNOWN");
}

TEST_CASE("The end of a log has the last error and Slurm's reason, of the last run only") {
  const std::string first =
      "kernelbatch: Slurm ends this job in 9 s; stopping in 4 s\n"
      "slurmstepd-n1: error: *** JOB 5 ON n1 CANCELLED AT 2026-11-28T04:24:22 DUE TO TIME LIMIT "
      "***\nkernelbatch: no new result\n";
  CHECK(end_of_log(first).state == "TIMEOUT");
  CHECK(end_of_log(first).error == "kernelbatch: no new result");
  const std::string second = first + "kernelbatch: Slurm ends this job in 9 s; stopping in 4 s\n";
  CHECK(end_of_log(second).state.empty());
  CHECK(end_of_log(second).error.empty());
  // Recorded from Slurm 22.05 with JobAcctGatherParams=OverMemoryKill.
  CHECK(end_of_log("slurmstepd-n1: error: StepId=1.batch exceeded memory limit (175468544 > "
                   "52428800), being killed\nslurmstepd-n1: error: Exceeded job memory limit\n"
                   "slurmstepd-n1: error: *** JOB 1 ON n1 CANCELLED AT 2026-11-28T04:40:42 ***\n")
            .state == "OUT_OF_MEMORY");
  CHECK(end_of_log("  variant  status  error  device\n").error.empty());
}

TEST_CASE("Submissions are recorded, also after a line of an older version") {
  const test::TemporaryFolder folder;
  const auto results = folder / "r.h5";
  CHECK(recorded_submissions(results).empty());
  std::ofstream(folder / "r.h5.slurm") << "811\n";
  const SlurmSubmission one{.id = "812",
                            .cluster = "c1",
                            .user = "ann",
                            .tasks = 4,
                            .log_folder = "/w/logs",
                            .job = "name: a\nworkload: copy\n",
                            .time_ns = 7};
  record_submission(results, one);
  record_submission(results, {.id = "813"});
  std::ofstream(folder / "r.h5.slurm", std::ios::app) << "{\"id\": 5}\n{cut off\n";
  CHECK(recorded_submissions(results) ==
        std::vector<SlurmSubmission>{{.id = "811"}, one, {.id = "813"}});
}

TEST_CASE("A record that cannot be written is reported before anything is queued") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.h5.slurm");
  std::filesystem::create_symlink(folder / "other", folder / "link.h5.slurm");
  for (const char* name : {"folder.h5", "link.h5"})
    CHECK_THROWS_WITH(require_recordable(folder / name),
                      Contains("cannot write '" + (folder / name).string() + ".slurm'"));
  CHECK_FALSE(std::filesystem::exists(folder / "other"));
  if (::geteuid() == 0) return;  // root may write everything; tests/slurm has a second user
  std::ofstream(folder / "r.h5.slurm") << "811\n";
  std::filesystem::permissions(folder / "r.h5.slurm", std::filesystem::perms::owner_read);
  CHECK_THROWS_WITH(require_recordable(folder / "r.h5"),
                    Contains("belongs to " + current_user()) && Contains("-o FILE"));
}

TEST_CASE("Invalid output has no tasks") {
  CHECK(parse_squeue("").empty());
  CHECK(parse_squeue("slurm_load_jobs error: Invalid job id specified\n").empty());
  CHECK(parse_sacct("Slurm accounting storage is disabled\n").empty());
}

TEST_CASE("A state is bad if a task did not end normally") {
  for (const char* state : {"TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "FAILED",
                            "CANCELLED", "BOOT_FAIL", "DEADLINE"}) {
    SlurmTask task;
    task.state = state;
    CHECK(task.has_ended_badly());
  }
  for (const char* state : {"PENDING", "RUNNING", "COMPLETED", "COMPLETING", "REQUEUED"}) {
    SlurmTask task;
    task.state = state;
    CHECK_FALSE(task.has_ended_badly());
  }
}

}  // namespace
}  // namespace kernelbatch
