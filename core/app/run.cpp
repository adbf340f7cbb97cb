// kernelbatch run: all cases of jobs, stored and printed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/job_options.hpp"
#include "core/app/kernel_options.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

struct RunOptions {
  JobOptions job;
  bool is_quiet = false, is_profile = false;
};

/// On a terminal one line that follows the work; in a log one line per finished result.
class ProgressPrinter final : public RunObserver {
 public:
  ProgressPrinter(bool is_quiet, bool is_terminal)
      : is_quiet_(is_quiet), is_terminal_(is_terminal) {}
  ~ProgressPrinter() override { clear(); }

  void on_variant(const PlannedCase&, const std::string& variant,
                  const std::string& phase) override {
    if (is_quiet_ || !is_terminal_) return;
    clear();
    const std::string line =
        fmt::format("[{}/{}] {} {}", done_, total_, variant, phase).substr(0, 78);
    fmt::print(stderr, "\r{}", line);
    std::fflush(stderr);
    shown_ = line.size();
  }

  void on_result(const ResultRecord& record, std::size_t done, std::size_t total) override {
    done_ = done;
    total_ = total;
    if (is_quiet_) return;
    clear();
    const double time = record.ranked_time();
    fmt::print(stderr, "[{}/{}] {} {} {}: {}{}\n", done, total, record.workload,
               to_text(record.params), record.variant, to_text(record.status),
               std::isnan(time) ? "" : " " + format_seconds(time));
    if (environment("KERNELBATCH_DUMP_SOURCE") && !record.detail.empty())
      fmt::print(stderr, "{}\n", record.detail);
    std::fflush(stderr);
  }

 private:
  void clear() {
    if (shown_ > 0) fmt::print(stderr, "\r{:{}}\r", "", shown_);
    shown_ = 0;
  }

  bool is_quiet_, is_terminal_;
  std::size_t done_ = 0, total_ = 0, shown_ = 0;
};

int run_jobs(const RunOptions& options) {
  const int interrupt = catch_interrupts();
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
    devices.push_back(choose_device(job.device.text));
    if (!devices.back().note.empty()) fmt::print(stderr, "kernelbatch: {}\n", devices.back().note);
  }
  int worst = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    Supervisor supervisor({.worker_command = worker_command(),
                           .arguments = command_line(),
                           .device = devices[k].selector,
                           .is_profile = options.is_profile,
                           .interrupt = interrupt});
    RunSummary summary;
    {
      ProgressPrinter progress(options.is_quiet, ::isatty(2) != 0);
      summary = supervisor.run(jobs[k], plans[k], progress);
    }
    fmt::print("{}", results_table(summary.results, terminal_width()));
    if (devices[k].kind == DeviceKind::kHost)
      fmt::print("Times are of the host simulation, not of a GPU.\n");
    for (const std::string& problem : summary.problems) fmt::print("not merged: {}\n", problem);
    if (summary.was_interrupted) fmt::print("Stopped before the end; what is finished is kept.\n");
    if (std::filesystem::exists(summary.file)) fmt::print("Results: {}\n", summary.file.string());
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
  command->callback([options, &action] { action = [options] { return run_jobs(*options); }; });
}

}  // namespace kernelbatch::app
