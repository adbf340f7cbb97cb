#include "core/job/keys/slurm_keys.hpp"

#include <algorithm>

namespace kernelbatch {
namespace {

using enum Rule::Kind;

constexpr Key text(std::string_view name, std::string_view help) {
  return {name, Rule::of(kScalar), help};
}
constexpr Key number(std::string_view name, std::string_view help, int low = 1) {
  return {name, Rule::count(low), help};
}
constexpr Key flag(std::string_view name, std::string_view help) {
  return {name, Rule::of(kBoolean), help};
}
constexpr Key flag_or_text(std::string_view name, std::string_view help) {
  return {name, Rule::of(kBooleanOrText), help};
}

/// Options that only change the output of sbatch or replace the script have no key.
constexpr Key kKeys[] = {
    {"time", Rule::of(kSeconds), "time limit of a task: `10min`, `00:30:00`"},
    text("gpus", "GPUs or slices: `1`, `h100:1`"),
    text("gres", "generic resources: `gpu:1`"),
    text("gpus_per_node", "GPUs of each node"),
    text("gpus_per_task", "GPUs of each task"),
    text("array", "tasks of the array: a number or `auto`, each with `%N` for N at a time"),
    flag("requeue", "whether Slurm may restart the job"),
    {"merge", Rule::json(R"({"anyOf": [{"enum": ["last", "job"]}, {"type": "object",
        "additionalProperties": false, "required": ["job"],
        "properties": {"job": {"$ref": "#/definitions/slurm"}}}]})"),
     "which job merges the results of an array: its `last` task (default), a `job` of its own, or "
     "`{job: {…}}` with settings of that job"},
    text("partition", "partition"),
    text("account", "account to charge"),
    text("qos", "quality of service"),
    text("nodes", "number of nodes"),
    text("ntasks", "number of tasks in a step"),
    text("cpus", "CPUs of each task: short for `cpus_per_task`"),
    text("mem", "memory of a node: `8G`"),
    text("exclude", "nodes not to use"),
    text("constraint", "features that a node must have"),
    text("nodelist", "nodes to use"),
    text("reservation", "reservation to run in"),
    text("mail_type", "events to mail: `END,FAIL`"),
    text("mail_user", "recipient of mails"),
    text("job_name", "name in the queue; default: the job's"),
    text("output", "file for the tasks' output"),
    text("begin", "not before: `now+1hour`"),
    text("comment", "a comment"),
    text("dependency", "jobs to wait for: `afterok:123`"),
    text("signal", "signal before the end: `B:USR1@120`"),
    flag_or_text("exclusive", "whole nodes: `true`, `user`, `mcs` or `topo`"),
    text("mem_per_cpu", "memory for each CPU: `4G`"),
    text("mem_per_gpu", "memory for each GPU: `16G`"),
    text("licenses", "licenses: `mylib:1`"),
    flag_or_text("nice", "lower priority: `true` (100) or a number"),
    text("clusters", "clusters of the site, of which the first to start the job gets it"),
    text("acctg_freq", "sampling intervals of accounting: `task=30`"),
    text("batch", "features of the node that runs the script"),
    text("bb", "burst buffer: a specification"),
    text("bbf", "burst buffer: a file with the specification"),
    text("chdir", "folder in which the script starts"),
    text("cluster_constraint", "features that a cluster must have"),
    text("container", "OCI bundle for the script"),
    text("container_id", "name of the container (Slurm 23.02 or newer)"),
    flag("contiguous", "only adjacent nodes"),
    number("core_spec", "cores of each node reserved for the system", 0),
    number("cores_per_socket", "minimum cores of a socket"),
    text("cpu_freq", "frequency of the CPUs: `low`, `high-high:performance`"),
    number("cpus_per_gpu", "CPUs for each GPU"),
    number("cpus_per_task", "CPUs of each task"),
    text("deadline", "remove the job if it cannot end before: `2026-12-24`"),
    text("delay_boot", "minutes to wait before nodes are rebooted for a feature"),
    text("distribution", "order of tasks on nodes and sockets: `block:cyclic`"),
    text("error", "file for standard error; default: the one of `output`"),
    text("export", "environment variables of the job: `ALL`, `NONE`, names"),
    text("export_file", "file of environment variables"),
    text("extra_node_info", "sockets, cores and threads of a node: `2:8:1`"),
    flag_or_text("get_user_env", "environment of a login shell"),
    text("gid", "group of the job (only for root)"),
    text("gpu_bind", "binding of tasks to GPUs: `closest`"),
    text("gpu_freq", "clocks of the GPUs: `high,memory=high`"),
    text("gpus_per_socket", "GPUs of each socket"),
    text("gres_flags", "options of `gres`: `enforce-binding`"),
    text("hint", "kind of program: `compute_bound`, `memory_bound`, `nomultithread`"),
    flag("hold", "submit the job held; `scontrol release` starts it"),
    text("input", "file for standard input"),
    text("kill_on_invalid_dep", "`yes`: remove the job if `dependency` can never be met"),
    text("mcs_label", "label of multi-category security"),
    text("mem_bind", "binding of tasks to memory: `local`"),
    number("mincpus", "minimum CPUs of a node"),
    text("network", "options of the network"),
    flag_or_text("no_kill", "`true`: the job survives the failure of one of its nodes"),
    text("nodefile", "file with the nodes to use"),
    number("ntasks_per_core", "maximum tasks of a core"),
    number("ntasks_per_gpu", "tasks for each GPU"),
    number("ntasks_per_node", "tasks of a node"),
    number("ntasks_per_socket", "maximum tasks of a socket"),
    flag_or_text("oom_kill_step",
                 "end the whole step if one task runs out of memory (Slurm 24.11 or newer)"),
    text("open_mode", "`append` (default) or `truncate` the output of an earlier run"),
    flag("overcommit", "several tasks for each CPU"),
    flag("oversubscribe", "share nodes with other jobs"),
    text("power", "options of power management (until Slurm 23.11)"),
    text("prefer", "features that a node should have"),
    text("priority", "priority of the job (only for operators)"),
    text("profile", "data to record: `task`, `energy`, `all`"),
    flag_or_text("propagate", "resource limits to pass on: `true` (all) or names"),
    flag("reboot", "reboot the nodes first"),
    flag_or_text("resv_ports", "reserve network ports (Slurm 24.05 or newer)"),
    number("segment", "nodes of a block (Slurm 24.05 or newer)"),
    number("sockets_per_node", "minimum sockets of a node"),
    flag("spread_job", "as many nodes as possible"),
    flag("stepmgr", "steps managed on the job's node (Slurm 24.05 or newer)"),
    text("switches", "maximum number of switches and wait: `1@10:00`"),
    number("thread_spec", "threads of each node reserved for the system", 0),
    number("threads_per_core", "threads of each core"),
    {"time_min", Rule::of(kSeconds), "shortest time limit that is acceptable, to start earlier"},
    text("tmp", "minimum temporary disk of a node: `10G`"),
    text("tres_bind", "binding of tasks to resources (Slurm 23.11 or newer)"),
    text("tres_per_task", "resources of each task: `cpu=4` (Slurm 23.02 or newer)"),
    text("uid", "user of the job (only for root)"),
    flag("use_min_nodes", "the smallest number of nodes of a range"),
    number("wait_all_nodes", "1: start when all nodes have booted", 0),
    text("wckey", "workload characterization key"),
    {"modules", Rule::of(kScalarOrList), "a list of modules to load, in order"},
    {"extra", Rule::of(kScalars), "a list of whole `#SBATCH` options: `[\"--qos=long\"]`"}};

}  // namespace

std::span<const Key> slurm_keys() { return kKeys; }

const Key* find_slurm_key(std::string_view name) {
  const auto* found = std::ranges::find(kKeys, name, &Key::name);
  return found == std::end(kKeys) ? nullptr : found;
}

std::string sbatch_option_of(std::string_view key) {
  std::string option(key == "cpus" ? "cpus_per_task" : key);
  std::ranges::replace(option, '_', '-');
  return "--" + option;
}

const Scalar* find_value(const SlurmSpec& slurm, std::string_view key) {
  const auto found = std::ranges::find(
      slurm.values, key, [](const auto& each) -> std::string_view { return each.first; });
  return found == slurm.values.end() ? nullptr : &found->second;
}

}  // namespace kernelbatch
