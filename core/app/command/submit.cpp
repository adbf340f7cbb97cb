// kernelbatch submit: a job as a Slurm array, and a job that merges its results.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/app/slurm/long_case.hpp"
#include "core/app/slurm/shared_work.hpp"
#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/job/gpu_types.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "core/job/resolved.hpp"
#include "core/job/sbatch.hpp"
#include "core/job/sbatch_refusal.hpp"
#include "core/job/slurm_jobs.hpp"
#include "core/job/slurm_site.hpp"
#include "core/job/submissions.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  JobOptions job;
  bool is_dry = false, is_again = false;
};

/// `kernelbatch run JOB` with this command's options, for any working folder.
std::vector<std::string> run_command_of(const std::string& file, const fs::path& results,
                                        const JobOptions& options, bool may_spread) {
  std::vector<std::string> words{executable_path().string(), "run", fs::absolute(file).string()};
  JobOptions there = options;
  there.output = results.string();
  for (std::string& word : option_words(there)) words.push_back(std::move(word));
  // A process for each GPU or slice, if a task has several.
  if (may_spread) words.insert(words.end(), {"--jobs", "auto"});
  if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
  return words;
}

/// The job as sbatch has queued it.
SlurmSubmission submitted(const std::vector<std::string>& command, const SlurmSpec& slurm,
                          const SlurmSite& site) {
  const ProcessResult answer = run_process(command);
  const std::string text(trim(answer.output));
  if (!answer.succeeded()) throw refusal_error(text, slurm, site);
  // "812" or "812;cluster", after any messages of the site.
  const std::string last = text.substr(text.rfind('\n') + 1);
  const std::size_t end = last.find(';');
  return {.id = last.substr(0, end),
          .cluster = end == std::string::npos ? "" : last.substr(end + 1),
          .user = current_user(),
          .time_ns = unix_time_ns()};
}

/// A task without a GPU runs on the host device and would report it too late.
void warn_of_missing_gpus(const JobSpec& job) {
  if (requests_gpus(job.slurm) || job.device.text == "host") return;
  warn(
      "the job requests no GPU from Slurm: its tasks will run on the host device. `slurm: {gpus: "
      "1}`, or `-s slurm.gpus=1`, requests one; `device: host` selects the host");
}

/// Refuses results that queued or running tasks will write: further tasks would run the same cases
/// again.
void refuse_if_queued(const fs::path& results) {
  std::size_t tasks = 0;
  std::set<std::string> jobs, users;
  for (const SlurmTask& task : slurm_tasks(recorded_submissions(results))) {
    if (!task.is_active()) continue;
    ++tasks;
    jobs.insert(task.job());
    users.insert(task.user);
  }
  if (jobs.empty()) return;
  const std::vector<std::string> ids(jobs.begin(), jobs.end()), names(users.begin(), users.end());
  throw SpecError(fmt::format(
      "Slurm {} {} of user {} will write '{}' ({} queued or running): wait (`kernelbatch status {} "
      "--watch`), cancel (`scancel {}`), or submit more tasks with --again",
      ids.size() == 1 ? "job" : "jobs", join(ids), join(names), results.string(),
      plural(tasks, "task"), shell_quoted(results.string()), join(ids, " ")));
}

/// Compares the job's settings with the cluster's limits.
SlurmSite checked_site(const SlurmSpec& slurm) {
  // Limits of other clusters are unknown here.
  if (find_value(slurm, "clusters") != nullptr) return {};
  SlurmSite site = query_site();
  require_gpu_types(slurm, site);
  for (const std::string& sentence : exceeded_limits(slurm, site)) warn(sentence);
  if (find_value(slurm, "qos") != nullptr && find_program("sacctmgr"))
    for (const std::string& sentence :
         exceeded_qos_limits(slurm, run_process({"sacctmgr", "--noheader", "--parsable2", "show",
                                                 "qos", "format=name,maxwall"})
                                        .output))
      warn(sentence);
  return site;
}

Submission submission_of(const SubmitOptions& options, const JobSpec& job, const SharedWork& work,
                         const SlurmSite& site) {
  const std::string& file = options.job.files[0];
  const fs::path results = fs::absolute(output_file(job));
  const ArraySize size =
      array_size(job.slurm, work.parts, work.results, work.seconds_per_result, site);
  return {.job_name = job.name,
          .job_file = file,
          .program = version_text(),
          .cases = work.parts,
          .tasks = size.tasks,
          .throttle = size.throttle,
          .folder = fs::current_path().string(),
          .log_folder = results.parent_path() / (job.name + ".logs"),
          .results = results.string(),
          .command = run_command_of(file, results, options.job, requests_gpus(job.slurm)),
          .merge = {executable_path().string(), "merge", results.string()}};
}

/// Submits the job that merges the results of an array. The array runs whether or not Slurm accepts
/// it, so a refusal is a warning: submitting everything again would run every case twice.
void submit_merge(const Submission& submission, const SlurmSpec& slurm, const SlurmSite& site,
                  const std::string& merge, const std::string& array) {
  const fs::path results = submission.results;
  const fs::path file = results.parent_path() / (submission.job_name + "-merge.sbatch");
  write_file_atomically(file, merge);
  try {
    const SlurmSubmission queued =
        submitted({"sbatch", "--parsable", "--dependency=afterany:" + array,
                   "--kill-on-invalid-dep=yes", file.string()},
                  slurm, site);
    record_submission(results, queued);
    fmt::print("submitted job {}: merges them when they have ended\n", queued.id);
  } catch (const SpecError& error) {
    warn(fmt::format(
        "{}\n  This was the job that merges the results; array {} is queued. When it has "
        "ended, run `{}`, or edit {} and submit that",
        error.message(), array, quoted_command(submission.merge), file.string()));
  }
}

/// Writes the scripts next to the results and gives them to sbatch.
void submit(const Submission& submission, const SlurmSpec& slurm, const SlurmSite& site,
            const std::string& resolved, const std::string& script, const std::string& merge) {
  if (!find_program("sbatch"))
    throw SpecError(
        "sbatch is not in PATH: is this a node of a Slurm cluster? --dry-run prints "
        "the script");
  const fs::path results = submission.results, folder = results.parent_path();
  make_writable_folder(folder);
  // A log file that Slurm cannot open fails the job silently.
  make_writable_folder(submission.log_folder);
  require_recordable(results);
  const fs::path script_file = folder / (submission.job_name + ".sbatch");
  write_file_atomically(script_file, script);
  SlurmSubmission queued = submitted({"sbatch", "--parsable", script_file.string()}, slurm, site);
  queued.tasks = submission.tasks;
  queued.log_folder = submission.log_folder;
  queued.job = resolved;
  // Before anything that can fail: `status` must know the array.
  try {
    record_submission(results, queued);
  } catch (const StoreError& error) {
    warn(fmt::format("{}: job {} is queued, but `status` will not list it", error.message(),
                     queued.id));
  }
  fmt::print("submitted job {}: {} in {}, by {}\n", queued.id, plural(submission.cases, "case"),
             plural(submission.tasks, "task"), script_file.string());
  if (!merge.empty()) submit_merge(submission, slurm, site, merge, queued.id);
  fmt::print("Results: {}\nLogs: {}\nSee `kernelbatch status {}`\n", results.string(),
             submission.log_folder, results.string());
}

int submit_job(const SubmitOptions& options) {
  if (options.job.files.size() != 1)
    throw SpecError("submit takes one job: one array holds one job's cases");
  const JobSpec job = read_job(options.job.files[0], options.job);
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  const Plan plan = make_plan(
      job, [&](const std::string& plugin) { return asker.describe(plugin); },
      options.job.allowed_cases);
  const fs::path results = fs::absolute(output_file(job));
  const SharedWork work = missing_shared_work(job, plan, results);
  if (work.parts == 0) {
    fmt::print("nothing to submit: all {} have their results in '{}'\n",
               plural(work.all_parts, "case"), visible(results.string()));
    return 0;
  }
  if (!options.is_dry && !options.is_again) refuse_if_queued(results);
  warn_of_missing_gpus(job);
  warn_of_long_case(job, plan, [&](const auto& plugin, const auto& cases) {
    return asker.footprints(plugin, cases);
  });
  const SlurmSite site = checked_site(job.slurm);
  const Submission submission = submission_of(options, job, work, site);
  const std::string script = run_script(submission, job.slurm);
  const bool has_merge_job = submission.tasks > 1 && !job.slurm.merge_job.empty();
  const std::string merge = has_merge_job ? merge_script(submission, job.slurm) : "";
  if (!options.is_dry) {
    submit(submission, job.slurm, site, to_yaml(resolved(job, plan)), script, merge);
    return 0;
  }
  print_data();
  fmt::print("{}", script);
  if (has_merge_job) fmt::print("\n{}", merge);
  return 0;
}

}  // namespace

Command submit_command() {
  auto options = std::make_shared<SubmitOptions>();
  Command command{.name = "submit",
                  .summary = "Submit a job as a Slurm array, sized from its plan"};
  command.add(job_options(options->job));
  command.add({{.names = {"--dry-run"},
                .help = "Print the scripts and submit nothing",
                .target = &options->is_dry},
               {.names = {"--again"},
                .help = "Submit although tasks for the same results are queued or running",
                .target = &options->is_again}});
  command.examples = {{"kernelbatch submit jobs/sweep.yaml --dry-run", "print the scripts"},
                      {"kernelbatch submit jobs/sweep.yaml -s slurm.time=1h", ""}};
  command.action = [options] { return submit_job(*options); };
  return command;
}

}  // namespace kernelbatch::app
