#include "core/job/slurm_advice.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace kernelbatch {
namespace {

struct Advice {
  std::string_view word;  ///< a state or a reason
  std::string_view text;  ///< `{}`: the job's ID
};

constexpr Advice kStates[] = {
    {"CANCELLED", "if that was not intended, submit again: finished results are kept"},
    {"OUT_OF_MEMORY",
     "raise slurm.mem (or slurm.cpus, if the site ties memory to them) and submit again"},
    {"TIMEOUT", "raise slurm.time or lower limits.timeout, and submit again"},
    {"NODE_FAIL", "submit again; with `requeue: true` Slurm restarts such tasks"},
    {"PREEMPTED", "submit again; with `requeue: true` Slurm restarts such tasks"},
    {"BOOT_FAIL", "submit again; if it recurs, `slurm: {{exclude: NODE}}`"},
    {"DEADLINE", "slurm.deadline has passed: submit again with a later one"},
    {"REVOKED", "another cluster has started the job"},
    {"UNKNOWN",
     "Slurm has forgotten the task and it left no exit status: it was killed, or never started. "
     "Submit again"}};

constexpr Advice kReasons[] = {
    {"DependencyNeverSatisfied", "it will never start: `scancel {}`, and submit again"},
    {"JobHeldUser", "`scontrol release {}` starts it"},
    {"JobHeldAdmin", "`scontrol release {}` starts it, or ask the site"},
    {"launch failed requeued held", "its node was lost: `scontrol release {}` starts it"},
    {"PartitionTimeLimit",
     "slurm.time is above the partition's limit: `scancel {}`, lower it, and submit again"},
    {"PartitionNodeLimit",
     "slurm.nodes is above the partition's limit: `scancel {}`, lower it, and submit again"},
    {"PartitionConfig",
     "no node of the partition has what is requested: `scancel {}`, request less, and submit "
     "again"},
    {"QOSMaxWallDurationPerJobLimit",
     "slurm.time is above the limit of the QOS: `scancel {}`, lower it, and submit again"},
    {"AssocMaxWallDurationPerJobLimit",
     "slurm.time is above the account's limit: `scancel {}`, lower it, and submit again"},
    {"BadConstraints",
     "no node can have what is requested: `scancel {}`, request less, and submit again"},
    {"ReqNodeNotAvail", "the requested nodes are down or reserved: `sinfo -R` has the reasons"},
    {"PartitionDown", "the partition is down: wait, or `scancel {}` and use another"}};

/// By exit code of kernelbatch.
constexpr std::string_view kExitCodes[] = {
    "",
    "a result is wrong or suspect: `kernelbatch show` lists it",
    "the job file or the environment of the node is invalid: correct it and submit again",
    "a case crashed or timed out: `kernelbatch show` lists it; submit again to retry it",
    "no usable GPU: `kernelbatch devices` on that node has the reason",
    "",
    "results could not be written: remove the cause (quota, permissions) and submit again"};

std::string_view text_of(std::string_view word, std::span<const Advice> table) {
  for (const Advice& each : table)
    if (word.starts_with(each.word)) return each.text;
  return "";
}

std::string_view exit_advice(const std::string& exit_code) {
  if (exit_code.starts_with("75:")) return "stopped in time: submit again for the rest";
  for (std::size_t code = 1; code < std::size(kExitCodes); ++code)
    if (exit_code.starts_with(fmt::format("{}:", code)) && !kExitCodes[code].empty())
      return kExitCodes[code];
  return "the log has the reason; submit again after correcting it";
}

}  // namespace

std::string advice_for(const SlurmTask& task) {
  std::string word = task.is_waiting() ? task.reason : task.state;
  std::string_view text;
  if (task.is_waiting()) {
    text = text_of(task.reason, kReasons);
  } else if (task.has_ended_badly()) {
    text = text_of(task.state, kStates);
    if (text.empty()) {
      text = exit_advice(task.exit_code);
      if (!task.exit_code.empty()) word += " " + task.exit_code;
    }
  }
  if (text.empty()) return "";
  return fmt::format("{}: {}", word, fmt::format(fmt::runtime(text), task.job()));
}

}  // namespace kernelbatch
