// kernelbatch submit: a job as a Slurm array, and a job that merges its results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/app/long_case.hpp"
#include "core/app/slurm_status.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/job/sbatch.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  JobOptions job;
  bool is_dry = false;
};

/// A guess, only for the size of the array.
double seconds_per_result(const MeasureSpec& measure) {
  const double typical = measure.preset == Preset::kQuick   ? 1
                         : measure.preset == Preset::kPaper ? 30
                                                            : 5;
  return std::min(measure.timeout_s, typical);
}

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

/// The job ID printed by sbatch.
std::string submitted(const std::vector<std::string>& command) {
  const ProcessResult answer = run_process(command);
  const std::string text(trim(answer.output));
  if (!answer.succeeded()) throw SpecError(fmt::format("sbatch refused the job: {}", text));
  // "812" or "812;cluster", after any messages of the site.
  const std::string last = text.substr(text.rfind('\n') + 1);
  return last.substr(0, last.find(';'));
}

/// A task without a GPU runs on the host device and would report it too late.
void warn_of_missing_gpus(const JobSpec& job) {
  if (requests_gpus(job.slurm) || job.device.text == "host") return;
  warn(
      "the job requests no GPU from Slurm: its tasks will run on the host device. `slurm: {gpus: "
      "1}`, or `-s slurm.gpus=1`, requests one; `device: host` selects the host");
}

/// Work that tasks can share: cases, and tries of searches.
struct SharedWork {
  std::size_t parts = 0, results = 0;
  double seconds_per_result = 0;
};

SharedWork shared_work(const Plan& plan, const MeasureSpec& measure) {
  SharedWork work{plan.cases.size(), plan.results(), seconds_per_result(measure)};
  for (const PlannedSearch& search : plan.searches) {
    const std::size_t most = search.most_tries();
    const double tries = search.tune().budget->seconds / work.seconds_per_result;
    // The number of tries within a time budget is unknown.
    const std::size_t likely = search.tune().budget->tries > 0
                                   ? most
                                   : std::min(most, static_cast<std::size_t>(tries) + 1);
    work.parts += likely;
    work.results -= most - likely;
  }
  return work;
}

Submission submission_of(const SubmitOptions& options, const JobSpec& job, const Plan& plan,
                         const fs::path& results) {
  const std::string& file = options.job.files[0];
  const SharedWork work = shared_work(plan, job.measure);
  const ArraySize size = array_size(job.slurm, work.parts, work.results, work.seconds_per_result);
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
void submit_merge(const Submission& submission, const std::string& merge,
                  const std::string& array) {
  const fs::path results = submission.results;
  const fs::path file = results.parent_path() / (submission.job_name + "-merge.sbatch");
  write_file_atomically(file, merge);
  try {
    const std::string id = submitted({"sbatch", "--parsable", "--dependency=afterany:" + array,
                                      "--kill-on-invalid-dep=yes", file.string()});
    note_submission(results, id);
    fmt::print("submitted job {}: merges them when they have ended\n", id);
  } catch (const SpecError& error) {
    warn(fmt::format(
        "{}\n  This was the job that merges the results; array {} is queued. When it has "
        "ended, run `{}`, or edit {} and submit that",
        error.message(), array, quoted_command(submission.merge), file.string()));
  }
}

/// Writes the scripts next to the results and gives them to sbatch.
void submit(const Submission& submission, const std::string& script, const std::string& merge) {
  if (!find_program("sbatch"))
    throw SpecError(
        "sbatch is not in PATH: is this a node of a Slurm cluster? --dry-run prints "
        "the script");
  const fs::path results = submission.results, folder = results.parent_path();
  make_writable_folder(folder);
  // A log file that Slurm cannot open fails the job silently.
  make_writable_folder(submission.log_folder);
  const fs::path script_file = folder / (submission.job_name + ".sbatch");
  write_file_atomically(script_file, script);
  const std::string id = submitted({"sbatch", "--parsable", script_file.string()});
  note_submission(results, id);  // before anything that can fail: `status` must know the array
  fmt::print("submitted job {}: {} in {}, by {}\n", id, plural(submission.cases, "case"),
             plural(submission.tasks, "task"), script_file.string());
  if (!merge.empty()) submit_merge(submission, merge, id);
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
  warn_of_missing_gpus(job);
  warn_of_long_case(job, plan, [&](const auto& plugin, const auto& cases) {
    return asker.footprints(plugin, cases);
  });
  const Submission submission = submission_of(options, job, plan, results);
  const std::string script = run_script(submission, job.slurm);
  const bool has_merge_job = submission.tasks > 1 && !job.slurm.merge_job.empty();
  const std::string merge = has_merge_job ? merge_script(submission, job.slurm) : "";
  if (!options.is_dry) {
    submit(submission, script, merge);
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
                .target = &options->is_dry}});
  command.examples = {{"kernelbatch submit jobs/sweep.yaml --dry-run", "print the scripts"},
                      {"kernelbatch submit jobs/sweep.yaml -s slurm.time=1h", ""}};
  command.action = [options] { return submit_job(*options); };
  return command;
}

}  // namespace kernelbatch::app
