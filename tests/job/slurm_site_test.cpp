// Limits of a cluster, and refusals of sbatch: texts recorded from Slurm 22.05.
#include "core/job/slurm_site.hpp"

#include "core/job/gpu_types.hpp"
#include "core/job/parse.hpp"
#include "core/job/sbatch.hpp"
#include "core/job/sbatch_refusal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kSinfo =
    "main*|infinite|gpu:h100:2(S:0-7),gpu:2g.10gb:2(S:0-7)\n"
    "low|1:00:00|gpu:a100:4,gpu:h100:1\n"
    "low|1:00:00|(null)\n"
    "long|2-00:00:00|gpu:8\n";
constexpr const char* kConfig =
    "MaxArraySize            = 5\n"
    "MaxJobCount             = 40\n"
    "MinJobAge               = 86400 sec\n";

SlurmSpec slurm_of(const std::string& keys) {
  return parse_job("workload: mse\nslurm: {" + keys + "}", "j.yaml").slurm;
}

SlurmSite site() {
  return {.partitions = parse_sinfo(kSinfo),
          .max_array_size = config_number(kConfig, "MaxArraySize"),
          .max_jobs = config_number(kConfig, "MaxJobCount"),
          .jobs = 3};
}

std::string refusal(const std::string& text, const std::string& keys) {
  return refusal_error(text, slurm_of(keys), site()).what();
}

TEST_CASE("sinfo's lines are partitions, scontrol's are numbers") {
  const SlurmSite known = site();
  REQUIRE(known.partitions.size() == 3);
  CHECK(known.partitions[0].name == "main");
  CHECK(known.partitions[0].is_default);
  CHECK_FALSE(known.partitions[0].limit_s);
  CHECK(known.partitions[1].limit_s == 3600);
  CHECK(known.partitions[1].gpu_types == std::vector<std::string>{"a100", "h100"});
  CHECK(known.partitions[2].gpu_types.empty());
  CHECK(known.max_array_size == 5);
  CHECK(known.max_jobs == 40);
  CHECK(config_number(kConfig, "MinJobAge") == 86400);
  CHECK(config_number("", "MaxArraySize") == 0);
  CHECK(parse_sinfo("sinfo: error: no controller\n").empty());
}

TEST_CASE("An array stays within MaxArraySize and MaxJobCount") {
  const auto tasks = [](const std::string& keys, SlurmSite limits) {
    return array_size(slurm_of(keys), 100, 1000, 60, limits).tasks;
  };
  CHECK(tasks("array: auto, time: 10min", site()) == 5);
  CHECK(tasks("array: auto, time: 10min", {}) == 100);
  SlurmSite full = site();
  full.jobs = 37;
  CHECK(tasks("array: auto, time: 10min", full) == 2);
  full.jobs = 50;
  CHECK(tasks("array: auto, time: 10min", full) == 1);
  CHECK(tasks("array: 5", site()) == 5);
  CHECK_THAT(test::message_of([&] { tasks("array: 6", site()); }),
             Contains("j.yaml:2:16") && Contains("takes 5 tasks now") &&
                 Contains("write `array: 5` or `auto`"));
}

TEST_CASE("Types of GPUs are compared with the partition's") {
  const auto message = [](const std::string& keys) {
    return test::message_of([&] { require_gpu_types(slurm_of(keys), site()); });
  };
  require_gpu_types(slurm_of("gpus: 'h100:1,2g.10gb:1'"), site());
  require_gpu_types(slurm_of("gres: 'gpu:a100:1', partition: low"), site());
  require_gpu_types(slurm_of("gpus: 2, gres: 'gpu:1,shard:4', partition: long"), site());
  require_gpu_types(slurm_of("gpus: 'a100:1', partition: 'main,low'"), site());
  require_gpu_types(slurm_of("gpus: 'a100:1', partition: unknown"), site());
  require_gpu_types(slurm_of("gpus: 'a100:1'"), site());  // the site may choose a partition
  require_gpu_types(slurm_of("gpus: 'a100:1'"), {});
  CHECK_THAT(message("gpus: 'h10:1'"),
             Contains("j.yaml:2:15: slurm.gpus 'h10:1': the cluster has no GPU of type 'h10' "
                      "(did you mean 'h100'?)"));
  CHECK_THAT(message("gres: 'gpu:1g.10gb:1'"), Contains("did you mean '2g.10gb'?"));
  CHECK_THAT(message("gpus: 'h100:1', partition: long"), Contains("it has none with a type"));
}

TEST_CASE("A type that begins with a digit needs a count") {
  const auto message = [](const std::string& keys) {
    return test::message_of([&] { slurm_of(keys); });
  };
  CHECK_THAT(message("gpus: 1g.10gb"),
             Contains("j.yaml:2:15") && Contains("needs a count: '1g.10gb:1'"));
  CHECK_THAT(message("gres: 'gpu:2g.10gb'"), Contains("'gpu:2g.10gb:1'"));
  for (const char* valid :
       {"gpus: 4", "gpus: h100", "gpus: '1g.10gb:1'", "gres: gpu", "gres: 'gpu:4'"})
    slurm_of(valid);
}

TEST_CASE("Requests for GPUs are recognized in each of their keys") {
  for (const char* keys :
       {"gpus: 1", "gpus_per_node: 2", "gres: 'gpu:1'", "tres_per_task: 'cpu=4,gres/gpu=1'"})
    CHECK(requests_gpus(slurm_of(keys)));
  for (const char* keys : {"cpus: 1", "tres_per_task: 'cpu=4'", "gpu_bind: closest"})
    CHECK_FALSE(requests_gpus(slurm_of(keys)));
}

TEST_CASE("Limits of partitions and QOS below slurm.time are reported") {
  const auto sentences = [](const std::string& keys) {
    return exceeded_limits(slurm_of(keys), site());
  };
  CHECK(sentences("time: 100h").empty());
  CHECK(sentences("partition: low, time: 1h").empty());
  CHECK(sentences("partition: 'low,main', time: 2h").empty());
  const auto low = sentences("partition: low, time: 2h");
  REQUIRE(low.size() == 1);
  CHECK_THAT(low[0], Contains("j.yaml:2:31: slurm.time 2h is above the limit 01:00:00 of partition "
                              "low") &&
                         Contains("slurm.partition: main, long"));
  constexpr const char* kQos = "normal|\nshort|00:30:00\n";
  CHECK(exceeded_qos_limits(slurm_of("qos: normal, time: 9h"), kQos).empty());
  CHECK(exceeded_qos_limits(slurm_of("time: 9h"), kQos).empty());
  const auto qos = exceeded_qos_limits(slurm_of("qos: short, time: 1h"), kQos);
  REQUIRE(qos.size() == 1);
  CHECK_THAT(qos[0], Contains("00:30:00 of QOS short"));
}

TEST_CASE("A refusal names the key to change or to add") {
  CHECK_THAT(refusal("sbatch: error: invalid partition specified: man", "partition: man"),
             Contains("j.yaml:2:20: sbatch refused") && Contains("slurm.partition") &&
                 Contains("did you mean 'main'?"));
  CHECK_THAT(refusal("sbatch: unrecognized option '--segment=4'", "segment: 4"),
             Contains("j.yaml:2:18") && Contains("does not have it") && Contains("24.05 or newer"));
  CHECK_THAT(refusal("sbatch: error: Invalid --exclusive specification", "exclusive: foo"),
             Contains("slurm.exclusive: whole nodes"));
  CHECK_THAT(refusal("sbatch: error: Batch job submission failed: Invalid license specification",
                     "licenses: foo"),
             Contains("`scontrol show licenses`"));
  CHECK_THAT(refusal("sbatch: error: Batch job submission failed: Requested time limit is invalid "
                     "(missing or exceeds some limit)",
                     "cpus: 1"),
             Contains("requires a time limit: add it, such as `time: 1h`"));
  CHECK_THAT(refusal("sbatch: error: time limit too long", "time: 99h"),
             Contains("slurm.time: lower it"));
  for (const char* text : {"jobs of account x must request a GPU", "please use --gres=gpu:N"})
    CHECK_THAT(refusal(text, "account: x"),
               Contains("requires a GPU: add it, such as `gpus: \"h100:1\"`"));
  CHECK_THAT(refusal("sbatch: error: Batch job submission failed: Job violates accounting/QOS "
                     "policy (job submit limit, user's size and/or time limits)",
                     "array: 9"),
             Contains("request fewer tasks"));
  CHECK_THAT(refusal("sbatch: error: Batch job submission failed: Requested node configuration is "
                     "not available",
                     "cpus: 999"),
             Contains("request less"));
  CHECK(refusal("closed on Sundays", "cpus: 1") == "sbatch refused the job: closed on Sundays");
}

}  // namespace
}  // namespace kernelbatch
