// kernelbatch run: all cases of jobs, stored and printed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "core/app/allocation.hpp"
#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/job_options.hpp"
#include "core/app/kernel_options.hpp"
#include "core/app/progress.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"
#include "core/report/tuning.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

struct RunOptions {
  JobOptions job;
  bool is_quiet = false, is_resumed = false, is_profile = false;
  std::string shard;
};

int run_jobs(const RunOptions& options) {
  const int interrupt = catch_interrupts();
  const auto allocation = slurm_allocation(environment);
  const Shard shard = !options.shard.empty() ? parse_shard(options.shard)
                      : allocation           ? shard_of(*allocation)
                                             : Shard{};
  // All jobs are checked before the first of them runs.
  std::vector<JobSpec> jobs;
  std::vector<Plan> plans;
  std::vector<DeviceChoice> devices;
  for (const std::string& file : options.job.files) {
    jobs.push_back(read_job(file, options.job));
    const JobSpec& job = jobs.back();
    for (const JobSpec& other : jobs)
      if (other.name != job.name && output_file(other) == output_file(job))
        throw SpecError(
            fmt::format("jobs '{}' and '{}' would both write '{}': one file holds one job",
                        other.name, job.name, output_file(job).string()));
    Supervisor asker({.worker_command = worker_command(),
                      .arguments = {},
                      .device = {},
                      .interrupt = interrupt});
    plans.push_back(make_plan(
        job, [&](const std::string& plugin) { return asker.describe(plugin); },
        options.job.allowed_cases));
    devices.push_back(device_in(allocation, job.device.text));
    if (!devices.back().note.empty()) fmt::print(stderr, "kernelbatch: {}\n", devices.back().note);
  }
  if (allocation) stop_in_time(*allocation, jobs);
  const std::string scratch = allocation ? scratch_of(*allocation) : "";
  int worst = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    Supervisor supervisor({.worker_command = worker_command(),
                           .arguments = command_line(),
                           .device = devices[k].selector,
                           .shard_index = shard.index,
                           .shard_count = shard.count,
                           .scratch = scratch,
                           .is_resumed = options.is_resumed || is_requeued(allocation),
                           .is_profile = options.is_profile,
                           .interrupt = interrupt});
    RunSummary summary;
    {
      ProgressPrinter progress(options.is_quiet   ? ProgressStyle::kNone
                               : ::isatty(2) != 0 ? ProgressStyle::kBar
                                                  : ProgressStyle::kLines);
      summary = supervisor.run(jobs[k], plans[k], progress);
    }
    fmt::print("{}", results_table(summary.results, text_format()));
    fmt::print("{}", tuning_table(summary.results, text_format()));
    if (devices[k].kind == DeviceKind::kHost)
      fmt::print("Times are of the host simulation, not of a GPU.\n");
    for (const std::string& problem : summary.problems) fmt::print("not merged: {}\n", problem);
    if (summary.was_interrupted) fmt::print("Stopped before the end; what is finished is kept.\n");
    if (summary.resumed > 0)
      fmt::print("{} of {} results are from earlier runs.\n", summary.resumed,
                 summary.results.size());
    if (shard.count > 1)
      fmt::print("Shard {} of {}: results are in {}.d until `kernelbatch merge {}`\n",
                 shard.index + 1, shard.count, summary.file.string(), summary.file.string());
    else if (std::filesystem::exists(summary.file))
      fmt::print("Results: {}\n", summary.file.string());
    const int code = static_cast<int>(summary.exit_code());
    if (worst == 0) worst = code;
    if (summary.was_interrupted) return code;
  }
  return worst;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run all cases of jobs, verify, time and store them");
  add_job_options(*command, options->job);
  add_kernel_options(*command);
  command
      ->add_flag("--profile", options->is_profile,
                 "Few bare runs per variant, for nsys and ncu to look at")
      ->envname("KERNELBATCH_PROFILE");
  command->add_flag("-q,--quiet", options->is_quiet, "Print the table only");
  command
      ->add_flag("--resume", options->is_resumed,
                 "Keep the results of earlier runs and do only what is missing; crashes are tried "
                 "again up to limits.retries times")
      ->envname("KERNELBATCH_RESUME");
  command
      ->add_option("--shard", options->shard,
                   "Run the i-th of k equal parts (i/k, from 1); `merge` joins them")
      ->envname("KERNELBATCH_SHARD");
  command->callback([options, &action] { action = [options] { return run_jobs(*options); }; });
}

}  // namespace kernelbatch::app
