#include "core/job/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return {};
  return number;
}

}  // namespace

std::string SlurmAllocation::name() const {
  return array_job_id.empty() ? job_id : fmt::format("{}_{}", array_job_id, task_id);
}

std::string SlurmAllocation::queue() const {
  const std::string& job = array_job_id.empty() ? job_id : array_job_id;
  return step_id.empty() ? job : fmt::format("{}.{}", job, step_id);
}

bool SlurmAllocation::has_gpus() const noexcept {
  return !gpus.empty() || (!visible.empty() && visible != "NoDevFiles");
}

std::optional<SlurmAllocation> slurm_allocation(const Environment& environment) {
  const auto job_id = environment("SLURM_JOB_ID");
  if (!job_id) return {};
  const auto number = [&](const char* name, std::int64_t otherwise) {
    const auto text = environment(name);
    if (!text) return otherwise;
    const auto value = whole_number(*text);
    if (!value) throw SpecError(fmt::format("{}='{}' is not a number", name, *text));
    return *value;
  };
  const auto text = [&](const char* name) { return environment(name).value_or(""); };

  SlurmAllocation allocation;
  allocation.job_id = *job_id;
  if (environment("SLURM_ARRAY_TASK_ID")) {
    allocation.array_job_id = text("SLURM_ARRAY_JOB_ID");
    allocation.task_id = number("SLURM_ARRAY_TASK_ID", 0);
    allocation.task_min = number("SLURM_ARRAY_TASK_MIN", allocation.task_id);
    allocation.task_max = number("SLURM_ARRAY_TASK_MAX", allocation.task_id);
    allocation.task_step = std::max<std::int64_t>(number("SLURM_ARRAY_TASK_STEP", 1), 1);
    allocation.task_count = number("SLURM_ARRAY_TASK_COUNT", 1);
  }
  // A batch script has SLURM_NTASKS and SLURM_PROCID=0 although it is one process.
  if (environment("SLURM_STEP_NUM_TASKS")) {
    allocation.rank = number("SLURM_PROCID", 0);
    allocation.ranks = number("SLURM_STEP_NUM_TASKS", 1);
    allocation.local_rank = number("SLURM_LOCALID", 0);
    allocation.local_ranks =
        tasks_on_node(text("SLURM_STEP_TASKS_PER_NODE"), number("SLURM_NODEID", 0));
    allocation.step_id = text("SLURM_STEP_ID");
  }
  // Nodes may get different shares of the GPUs of a job.
  const std::string of_job = text("SLURM_GPUS");
  const auto all = whole_number(std::string_view(of_job).substr(of_job.rfind(':') + 1));
  allocation.most_gpus =
      allocation.ranks > 1 && all ? *all : whole_number(text("SLURM_GPUS_ON_NODE")).value_or(0);
  allocation.restart_count = number("SLURM_RESTART_COUNT", 0);
  if (const std::int64_t end = number("SLURM_JOB_END_TIME", 0); end > 0)
    allocation.end_ns = end * 1'000'000'000;
  allocation.gpus = environment("SLURM_STEP_GPUS").value_or(text("SLURM_JOB_GPUS"));
  allocation.visible = text("CUDA_VISIBLE_DEVICES");
  allocation.scratch = text("SLURM_TMPDIR");
  return allocation;
}

std::int64_t tasks_on_node(std::string_view list, std::int64_t node) {
  for (const std::string& entry : split(list, ',')) {
    const std::size_t times = entry.find("(x");
    const auto tasks = whole_number(std::string_view(entry).substr(0, times));
    const auto nodes = times == std::string::npos
                           ? std::optional<std::int64_t>(1)
                           : whole_number(split(entry.substr(times + 2), ')').front());
    if (!tasks || !nodes) break;
    if (node < *nodes) return *tasks;
    node -= *nodes;
  }
  return 1;
}

JobShard shard_of(const SlurmAllocation& allocation) {
  const std::int64_t places =
      (allocation.task_max - allocation.task_min) / allocation.task_step + 1;
  const std::int64_t place = (allocation.task_id - allocation.task_min) / allocation.task_step;
  return {static_cast<std::size_t>(place * allocation.ranks + allocation.rank),
          static_cast<std::size_t>(places * allocation.ranks)};
}

JobShard parse_shard(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  const std::int64_t index = parts.size() == 2 ? whole_number(parts[0]).value_or(0) : 0;
  const std::int64_t count = parts.size() == 2 ? whole_number(parts[1]).value_or(0) : 0;
  if (index < 1 || index > count)
    throw SpecError(fmt::format(
        "--shard '{}': expected i/k with i in 1 … k, as 2/8 for the second of eight parts", text));
  return {static_cast<std::size_t>(index - 1), static_cast<std::size_t>(count)};
}

std::optional<double> parse_slurm_time(std::string_view text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  std::vector<std::int64_t> fields;
  for (const std::string& field : split(has_days ? text.substr(dash + 1) : text, ':')) {
    const auto value = whole_number(field);
    if (!value) return {};
    fields.push_back(*value);
  }
  const auto days = has_days ? whole_number(text.substr(0, dash)) : 0;
  if (!days || fields.empty() || fields.size() > 3) return {};
  // After days the first field is hours; without days the last one is seconds.
  fields.insert(has_days ? fields.end() : fields.begin(), 3 - fields.size(), 0);
  return static_cast<double>(((*days * 24 + fields[0]) * 60 + fields[1]) * 60 + fields[2]);
}

std::string to_slurm_time(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(std::max(seconds, 1.0)));
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", s / 3600 % 24, s / 60 % 60, s % 60);
  return s < 86400 ? clock : fmt::format("{}-{}", s / 86400, clock);
}

std::optional<double> seconds_left(const SlurmAllocation& allocation) {
  if (allocation.end_ns) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(*allocation.end_ns) * 1e-9 -
           std::chrono::duration<double>(now).count();
  }
  if (!find_program("squeue")) return {};
  const ProcessResult answer =
      run_process({"squeue", "--noheader", "--jobs", allocation.name(), "--format", "%L"});
  if (!answer.succeeded()) return {};
  return parse_slurm_time(trim(answer.output));
}

double seconds_until_stop(double left, double margin) noexcept {
  return std::max({left - margin, left / 2, 0.0});
}

}  // namespace kernelbatch
