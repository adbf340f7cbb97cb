// kernelbatch run: all cases of jobs, stored and printed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/job_options.hpp"
#include "core/app/kernel_options.hpp"
#include "core/app/progress.hpp"
#include "core/app/run_file.hpp"
#include "core/app/run_on_all.hpp"
#include "core/app/run_part.hpp"
#include "core/app/run_summary_text.hpp"
#include "core/app/slurm/allocation.hpp"
#include "core/app/slurm/restart_log.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/kept_runs.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"
#include "core/run/tool/tool_run.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

namespace {

struct RunOptions {
  JobOptions job;
  KernelOptions kernel;
  bool is_quiet = false, is_resumed = false, is_overwriting = false, is_profile = false;
  bool requires_search = false;  ///< for `tune`
  std::string shard, queue, jobs = "1", sanitize, case_text;
};

/// Options of `run` itself that apply to each of several processes.
std::vector<std::string> flags_of(const RunOptions& options, bool is_resumed) {
  std::vector<std::string> flags = flags_of(options.kernel);
  if (options.is_quiet) flags.emplace_back("-q");
  if (options.is_profile) flags.emplace_back("--profile");
  if (is_resumed) flags.emplace_back("--resume");
  if (options.is_overwriting) flags.emplace_back("--overwrite");
  if (!options.sanitize.empty()) flags.emplace_back("--sanitize=" + options.sanitize);
  if (!options.case_text.empty()) flags.emplace_back("--case=" + options.case_text);
  return flags;
}

/// A checked job of which nothing has run yet.
struct CheckedJob {
  JobSpec job;
  Plan plan;
  DeviceChoice device;
  Commit commit;
  fs::path last;  ///< link to the run's file (`output.history`); empty: none
};

/// State shared by all jobs of one command.
struct RunPlace {
  int interrupt = -1;
  std::optional<SlurmAllocation> allocation = {};
  RunPart part = {};
  bool is_resumed = false;
};

void require_own_file(const JobSpec& job, const std::vector<JobSpec>& jobs) {
  for (const JobSpec& other : jobs)
    if (other.name != job.name && output_file(other) == output_file(job))
      throw SpecError(
          fmt::format("jobs '{}' and '{}' would both write '{}': one file holds one job", job.name,
                      other.name, output_file(job).string()));
}

/// Results without times must not replace those with times: they go to a separate file.
void sanitize_instead(JobSpec& job, const RunOptions& options) {
  if (!options.sanitize.empty()) job.sanitize = parse_check_words(split(options.sanitize, ','));
  if (job.sanitize.empty()) return;
  if (options.is_profile) throw SpecError("--profile and --sanitize exclude each other");
  if (!options.job.output.empty()) return;
  fs::path file = job.output.file;
  const std::string ending = file.extension().string();
  file.replace_extension();
  job.output.file = file.string() + "-sanitize" + ending;
}

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

void require_search(const JobSpec& job) {
  if (std::ranges::none_of(job.workloads,
                           [](const WorkloadSpec& workload) { return workload.tune.has_value(); }))
    throw SpecError(
        fmt::format("{}: no `tune:`, so there is nothing to search; `kernelbatch run` runs it",
                    job.path.string()));
}

int run_jobs(const RunOptions& options) {
  if (options.job.files.empty()) throw SpecError("no job: name a YAML file");
  RunPlace place{.interrupt = catch_interrupts(), .allocation = slurm_allocation(environment)};
  require_trusted_caches();
  place.part = part_of_run(options.shard, options.queue, place.allocation);
  place.is_resumed = options.is_resumed || is_requeued(place.allocation);
  // All jobs are checked before the first of them runs.
  std::vector<JobSpec> jobs;
  for (const std::string& file : options.job.files) {
    jobs.push_back(read_job(file, options.job));
    if (options.requires_search) require_search(jobs.back());
    sanitize_instead(jobs.back(), options);
  }
  if (options.jobs != "1") {
    const std::vector<std::string> spread = devices_of(options.jobs, jobs, place.allocation);
    const JobShard parts = first_part(place.part, spread.size(), place.allocation);
    if (spread.size() > 1)
      return run_on_all(jobs,
                        {.job = options.job,
                         .flags = flags_of(options, place.is_resumed),
                         .devices = spread,
                         .shard = place.part.shard,
                         .parts = parts,
                         .queue = queue_of_processes(place.part, !options.shard.empty()),
                         .interrupt = place.interrupt},
                        place.is_resumed, options.is_quiet);
    place.part.shard = parts;
  }
  std::vector<CheckedJob> checked;
  for (const JobSpec& job : jobs) {
    require_own_file(job, jobs);
    const Commit commit = commit_of(job.path.parent_path());
    JobSpec kept = job;
    fs::path last = keep_run(kept, commit, place.is_resumed);
    checked.push_back(check_job(kept, options, place));
    checked.back().commit = commit;
    checked.back().last = std::move(last);
    // For a single job the run itself checks this.
    if (jobs.size() > 1 && !place.is_resumed && !options.is_overwriting)
      require_new_results(kept, checked.back().plan);
  }
  if (place.allocation) stop_in_time(*place.allocation, jobs);
  return run_checked_jobs(checked, options, place);
}

}  // namespace

Action add_run_options(Command& command, bool requires_search) {
  auto options = std::make_shared<RunOptions>();
  options->requires_search = requires_search;
  command.add(job_options(options->job));
  command.add(kernel_options(options->kernel));
  command.add(
      {{.names = {"--profile"},
        .help = "A few plain runs per variant, for nsys and ncu",
        .target = &options->is_profile,
        .environment = "KERNELBATCH_PROFILE"},
       {.names = {"--sanitize"},
        .help = "Instead of timing, run each variant once under access checks: "
                "memory,race,init,sync (default: all); on the host device, or `gpu`: on the "
                "GPU under compute-sanitizer, or `both`",
        .target = &options->sanitize,
        .environment = "KERNELBATCH_SANITIZE",
        .implied = to_text(all_checks())},
       {.names = {"--case"},
        .help = "Only some cases: the beginning of their ID, or a parameter, as n=255",
        .target = &options->case_text,
        .environment = "KERNELBATCH_CASE"},
       {.names = {"-q", "--quiet"}, .help = "Print only the table", .target = &options->is_quiet},
       {.names = {"--resume"},
        .help = "Continue an earlier run: skip finished results, retry crashes up to "
                "limits.retries times, and always retry environment failures (no compiler, disk "
                "full, device lost)",
        .target = &options->is_resumed,
        .environment = "KERNELBATCH_RESUME"},
       {.names = {"--overwrite"},
        .help = "Re-run everything and overwrite earlier results; no effect with --resume",
        .target = &options->is_overwriting,
        .environment = "KERNELBATCH_OVERWRITE"},
       {.names = {"--shard"},
        .help = "Run the i-th of k equal parts (i/k, from 1); `merge` joins them",
        .target = &options->shard,
        .environment = "KERNELBATCH_SHARD"},
       {.names = {"--queue"},
        .help =
            "Claim cases from a queue of this name that all parts share, beginning with the own "
            "part; needs --shard. Tasks of an array, ranks of srun and processes of --jobs have "
            "one by default",
        .target = &options->queue,
        .environment = "KERNELBATCH_QUEUE"},
       {.names = {"--jobs"},
        .help = "Parallel processes, each with its own GPU or slice; auto: one for each "
                "granted one",
        .target = &options->jobs,
        .default_text = options->jobs,
        .environment = "KERNELBATCH_JOBS"}});
  return [options] { return run_jobs(*options); };
}

Command run_command() {
  Command command{.name = "run", .summary = "Run, verify, time and store all cases of jobs"};
  command.action = add_run_options(command, false);
  command.examples = {
      {"kernelbatch run jobs/quickstart.yaml", "writes results/quickstart.h5"},
      {"kernelbatch run jobs/mse.yaml -p n=1e5,1e6 --only variant=raw,jit -s measure.preset=quick",
       ""},
      {"kernelbatch run jobs/sweep.yaml --device host --resume", "continue an earlier run"},
      {"kernelbatch run jobs/seeds.yaml --jobs auto", "one process per GPU"},
      {"kernelbatch run --sanitize jobs/mse.yaml -p n=1e4",
       "find races, invalid accesses and barriers"}};
  return command;
}

}  // namespace kernelbatch::app
