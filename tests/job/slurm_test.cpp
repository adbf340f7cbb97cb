#include "core/job/slurm.hpp"

#include <ctime>
#include <map>
#include <string>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using SlurmVariables = std::map<std::string, std::string>;

std::optional<SlurmAllocation> allocation_of(const SlurmVariables& variables) {
  return slurm_allocation([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) return {};
    return found->second;
  });
}

/// As Slurm 22.05 sets them in a task of `--array=10-16:2`.
SlurmVariables array_task(const char* task) {
  return {{"SLURM_JOB_ID", "812"},        {"SLURM_ARRAY_JOB_ID", "810"},
          {"SLURM_ARRAY_TASK_ID", task},  {"SLURM_ARRAY_TASK_COUNT", "4"},
          {"SLURM_ARRAY_TASK_MIN", "10"}, {"SLURM_ARRAY_TASK_MAX", "16"},
          {"SLURM_ARRAY_TASK_STEP", "2"}};
}

TEST_CASE("Outside Slurm there is no allocation") { CHECK_FALSE(allocation_of({})); }

TEST_CASE("A batch script is one process, whatever --ntasks") {
  const auto allocation =
      allocation_of({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}});
  REQUIRE(allocation);
  CHECK(shard_of(*allocation).index == 0);
  CHECK(shard_of(*allocation).count == 1);
  CHECK_FALSE(allocation->has_gpus());
}

TEST_CASE("Array tasks and ranks are shards") {
  SlurmVariables variables = array_task("14");
  CHECK(shard_of(*allocation_of(variables)).index == 2);
  CHECK(shard_of(*allocation_of(variables)).count == 4);

  variables["SLURM_STEP_NUM_TASKS"] = "3";
  variables["SLURM_PROCID"] = "1";
  CHECK(shard_of(*allocation_of(variables)).index == 7);
  CHECK(shard_of(*allocation_of(variables)).count == 12);
}

TEST_CASE("A task of an array is identified by its index: the last one has the array's own ID") {
  CHECK(allocation_of(array_task("14"))->name() == "810_14");
  CHECK(allocation_of({{"SLURM_JOB_ID", "7"}})->name() == "7");
}

TEST_CASE("Every shard of an array is some task's") {
  std::vector<int> seen(12);
  for (const char* task : {"10", "12", "14", "16"})
    for (const char* rank : {"0", "1", "2"}) {
      SlurmVariables variables = array_task(task);
      variables["SLURM_STEP_NUM_TASKS"] = "3";
      variables["SLURM_PROCID"] = rank;
      ++seen.at(shard_of(*allocation_of(variables)).index);
    }
  CHECK(seen == std::vector<int>(12, 1));
}

TEST_CASE("An array with gaps has parts without a task") {
  SlurmVariables variables = array_task("14");
  variables["SLURM_ARRAY_TASK_COUNT"] = "2";
  CHECK(shard_of(*allocation_of(variables)).index == 2);
  CHECK(shard_of(*allocation_of(variables)).count == 4);
}

TEST_CASE("A list of Slurm has the number of tasks on each node") {
  CHECK(tasks_on_node("2(x3),1", 2) == 2);
  CHECK(tasks_on_node("2(x3),1", 3) == 1);
  CHECK(tasks_on_node("1,4", 1) == 4);
  CHECK(tasks_on_node("", 0) == 1);
  CHECK(tasks_on_node("2(x", 0) == 1);
}

TEST_CASE("Ranks know the GPUs that any of them may get") {
  SlurmVariables variables{
      {"SLURM_JOB_ID", "7"}, {"SLURM_GPUS", "h100:3"}, {"SLURM_GPUS_ON_NODE", "1"}};
  CHECK(allocation_of(variables)->most_gpus == 1);
  variables["SLURM_STEP_NUM_TASKS"] = "2";
  variables["SLURM_STEP_TASKS_PER_NODE"] = "1(x2)";
  CHECK(allocation_of(variables)->most_gpus == 3);
  CHECK(allocation_of(variables)->local_ranks == 1);
  variables.erase("SLURM_GPUS");
  CHECK(allocation_of(variables)->most_gpus == 1);
}

TEST_CASE("All tasks of an array, and all ranks of a step, share a queue") {
  CHECK(allocation_of(array_task("14"))->queue() == allocation_of(array_task("10"))->queue());
  SlurmVariables variables{{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "1"}};
  CHECK(allocation_of(variables)->queue() == "7");
  variables["SLURM_STEP_NUM_TASKS"] = "3";
  CHECK(allocation_of(variables)->queue() == "7.1");
}

TEST_CASE("GPUs are granted by the step, the job or CUDA's own variable") {
  const auto with = [](const char* name, const char* value) {
    return *allocation_of({{"SLURM_JOB_ID", "7"}, {name, value}});
  };
  CHECK(with("SLURM_JOB_GPUS", "0,1").has_gpus());
  CHECK(with("SLURM_STEP_GPUS", "3").gpus == "3");
  CHECK(with("CUDA_VISIBLE_DEVICES", "MIG-c1000001-0001-0002-8000-000000000002").has_gpus());
  CHECK_FALSE(with("CUDA_VISIBLE_DEVICES", "NoDevFiles").has_gpus());
  CHECK_FALSE(with("SLURM_TMPDIR", "/scratch/7").has_gpus());
}

TEST_CASE("A variable that is no number is refused by name") {
  CHECK_THAT(test::error_text<SpecError>([] {
               allocation_of({{"SLURM_JOB_ID", "7"}, {"SLURM_RESTART_COUNT", "two"}});
             }),
             Contains("SLURM_RESTART_COUNT='two'"));
}

TEST_CASE("Slurm's times are read and written") {
  CHECK(parse_slurm_time("5") == 5);
  CHECK(parse_slurm_time("4:05") == 245);
  CHECK(parse_slurm_time("3:04:05") == 11045);
  CHECK(parse_slurm_time("2-03:04:05") == 183845);
  CHECK(parse_slurm_time("2-03") == 183600);
  for (const char* text : {"UNLIMITED", "INVALID", "NOT_SET", "", "1:2:3:4", "-5", "1-", "1.5"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_slurm_time(text));
  }
  CHECK(to_slurm_time(59.2) == "00:01:00");
  CHECK(to_slurm_time(183845) == "2-03:04:05");
  CHECK(to_slurm_time(0) == "00:00:01");
}

TEST_CASE("A limit shorter than the margin leaves half of it for work") {
  CHECK(seconds_until_stop(3600, 90) == 3510);
  CHECK(seconds_until_stop(60, 90) == 30);
  CHECK(seconds_until_stop(-5, 90) == 0);
}

TEST_CASE("The end of the job comes from the environment if Slurm sets it") {
  const auto allocation = allocation_of(
      {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 1000)}});
  const auto left = seconds_left(*allocation);
  REQUIRE(left);
  CHECK(*left > 900);
  CHECK(*left <= 1000);
}

}  // namespace
}  // namespace kernelbatch
