#include "core/job/slurm_jobs.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("squeue's lines are tasks; only one that waits has a reason") {
  const auto tasks = parse_squeue(
      "812_3|RUNNING|None|1:05|n1\n"
      "812_4|PENDING|Resources|0:00|\n"
      "813|PENDING|Dependency|0:00|\n");
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].id == "812_3");
  CHECK(tasks[0].job() == "812");
  CHECK(tasks[0].reason.empty());
  CHECK(tasks[0].node == "n1");
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
