#include "core/app/command/run/checked_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <map>
#include <system_error>

#include "core/app/command.hpp"
#include "core/app/progress.hpp"
#include "core/app/run_file.hpp"
#include "core/app/run_summary_text.hpp"
#include "core/app/slurm/restart_log.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/kept_runs.hpp"
#include "core/run/supervisor.hpp"
#include "core/run/tool/tool_run.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

CheckedJob check_job(const JobSpec& job, const RunOptions& options, const RunPlace& place) {
  Plan plan = plan_part(job, options.job.allowed_cases, place.part.shard, place.interrupt);
  keep_cases(plan, options.case_text);
  if (!options.case_text.empty() && plan.cases.empty() && place.part.shard.count == 1)
    throw SpecError(fmt::format("{}: no case matches '{}'; `kernelbatch check --cases` lists them",
                                job.path.string(), options.case_text));
  const bool is_on_host = !job.sanitize.empty() && job.sanitize.place == CheckPlace::kHost;
  DeviceChoice device =
      is_on_host ? choose_device("host") : device_in(place.allocation, job.device.text);
  if (!job.sanitize.empty() && !is_on_host) {
    if (!device.is_gpu)
      throw DeviceError(fmt::format("checks on a GPU ({}) need one: {}",
                                    name_of(job.sanitize.place),
                                    device.note.empty() ? "the job names the host" : device.note));
    find_compute_sanitizer();
  }
  if (!device.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", device.note);
  return {job, std::move(plan), std::move(device), {}, {}};
}

namespace {

/// Expected seconds by case ID.
std::map<std::string, double> expected_seconds(const CheckedJob& checked, const RunPlace& place) {
  Supervisor asker({.worker_command = worker_command(),
                    .arguments = {},
                    .device = {},
                    .interrupt = place.interrupt});
  const std::vector<double> seconds = seconds_of_cases(
      checked.job, checked.plan, checked.device.is_gpu,
      [&](const auto& plugin, const auto& cases) { return asker.footprints(plugin, cases); });
  std::map<std::string, double> by_id;
  for (std::size_t k = 0; k < seconds.size(); ++k)
    by_id[checked.plan.cases[k].case_id] = seconds[k];
  return by_id;
}

RunSummary run_checked(const CheckedJob& checked, const RunOptions& options,
                       const RunPlace& place) {
  Supervisor supervisor({.worker_command = worker_command(variables_of(options.kernel)),
                         .arguments = command_line(),
                         .device = checked.device.selector,
                         .shard = place.part.shard,
                         .queue = place.part.queue,
                         .plan_part =
                             [&](const JobShard& shard) {
                               Plan part = plan_part(checked.job, options.job.allowed_cases, shard,
                                                     place.interrupt);
                               keep_cases(part, options.case_text);
                               return part.cases;
                             },
                         .scratch = place.allocation ? scratch_of(*place.allocation) : "",
                         .is_resumed = place.is_resumed,
                         .may_replace = options.is_overwriting,
                         .is_profile = options.is_profile,
                         .sanitize = checked.job.sanitize,
                         .commit = checked.commit,
                         .interrupt = place.interrupt});
  ProgressPrinter progress(
      options.is_quiet   ? ProgressStyle::kNone
      : ::isatty(2) != 0 ? ProgressStyle::kBar
                         : ProgressStyle::kLines,
      options.kernel.is_verbose || environment("KERNELBATCH_DUMP_SOURCE").has_value());
  if (!options.is_quiet && ::isatty(2) != 0 && checked.job.sanitize.empty())
    progress.expect(expected_seconds(checked, place));
  return supervisor.run(checked.job, checked.plan, progress);
}

}  // namespace

int run_checked_jobs(const std::vector<CheckedJob>& jobs, const RunOptions& options,
                     const RunPlace& place) {
  int worst = 0;
  std::exception_ptr unprinted;
  for (const CheckedJob& checked : jobs) {
    const RunSummary summary = run_checked(checked, options, place);
    const fs::path before = previous_run(checked.last);
    if (!checked.last.empty() && fs::exists(summary.file)) publish_run(summary.file, checked.last);
    // If standard output fails, the jobs that follow still run; the command reports it at the end.
    try {
      print_summary(summary, checked.job, checked.device.is_gpu, place.part.shard,
                    command_again(checked.job, options.job, options.sanitize));
      if (!before.empty() && !options.is_quiet && before != fs::weakly_canonical(summary.file))
        fmt::print("{}", change_text(before, summary.file));
    } catch (const std::system_error&) {
      if (std::ferror(stdout) == 0) throw;
      unprinted = std::current_exception();
    }
    write_restart_log(place.allocation, checked.job, checked.plan, summary);
    const int code = static_cast<int>(summary.exit_code());
    if (worst == 0) worst = code;
    if (summary.was_interrupted) {
      worst = code;
      break;
    }
  }
  if (unprinted) std::rethrow_exception(unprinted);
  return worst;
}

}  // namespace kernelbatch::app
