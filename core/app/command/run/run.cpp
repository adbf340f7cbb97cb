// kernelbatch run: all cases of jobs, stored and printed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/command/run/checked_job.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/run_file.hpp"
#include "core/app/run_on_all.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/program/cache.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

namespace {

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
