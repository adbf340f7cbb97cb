#include "core/app/run_part.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/app/command.hpp"
#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {

RunPart part_of_run(const std::string& shard, const std::string& queue,
                    const std::optional<SlurmAllocation>& allocation) {
  if (!queue.empty() && shard.empty())
    throw SpecError("--queue needs --shard i/k, with another i for each process");
  if (!queue.empty() && !is_plain_name(queue))
    throw SpecError(
        fmt::format("--queue '{}': letters, digits, '_', '-', '.' and '+' only", visible(queue)));
  if (!shard.empty()) return {parse_shard(shard), queue};
  if (!allocation) return {};
  RunPart part{shard_of(*allocation), {}};
  if (part.shard.count > 1) part.queue = allocation->queue();
  return part;
}

JobShard first_part(const RunPart& part, std::size_t processes,
                    const std::optional<SlurmAllocation>& allocation) {
  std::size_t count = processes;
  if (allocation && !part.queue.empty())
    count = std::max(count, static_cast<std::size_t>(allocation->most_gpus));
  return {part.shard.index * count, part.shard.count * count};
}

std::string queue_of_processes(const RunPart& part, bool is_by_hand) {
  if (!part.queue.empty() || is_by_hand) return part.queue;
  return fmt::format("jobs-{}-{}", ::getpid(), unix_time_ns());
}

Plan plan_part(const JobSpec& job, std::size_t allowed_cases, const JobShard& shard,
               int interrupt) {
  Supervisor asker(
      {.worker_command = worker_command(), .arguments = {}, .device = {}, .interrupt = interrupt});
  return make_plan(
      job, [&](const std::string& plugin) { return asker.describe(plugin); }, allowed_cases, shard,
      [&](const std::string& plugin, const std::vector<NamedValues>& cases) {
        return asker.footprints(plugin, cases);
      });
}

bool matches(const PlannedCase& planned, const std::string& text) {
  return planned.case_id.starts_with(text) ||
         (" " + to_text(planned.params) + " ").find(" " + text + " ") != std::string::npos;
}

void keep_cases(Plan& plan, const std::string& text) {
  if (text.empty()) return;
  std::erase_if(plan.cases, [&](const PlannedCase& each) { return !matches(each, text); });
  plan.searches.clear();
}

}  // namespace kernelbatch::app
