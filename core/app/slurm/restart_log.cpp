#include "core/app/slurm/restart_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

double expected_seconds(const JobSpec& job, const Plan& plan, const PlannedCase& planned,
                        bool is_gpu) {
  Plan one{.workloads = plan.workloads, .cases = {planned}};
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  return seconds_of_cases(
             job, one, is_gpu,
             [&](const auto& plugin, const auto& cases) { return asker.footprints(plugin, cases); })
      .front();
}

}  // namespace

std::string interrupted_text(const JobSpec& job, const Plan& plan,
                             const InterruptedCase& interrupted, double expected_s) {
  const PlannedCase& planned = interrupted.planned;
  const double needed_s =
      std::max(expected_s, interrupted.seconds) + job.limits.stop_before_job_end_s;
  return visible_line(fmt::format(
      "{} {}{}: stopped after {} without a result; the case is estimated to take {}. Raise "
      "slurm.time to more than {}, or lower measure.stop.timeout",
      plan.workloads[planned.workload].name, to_text(planned.params),
      interrupted.variant.empty() ? "" : ", variant " + interrupted.variant,
      clock_text(interrupted.seconds), clock_text(expected_s), clock_text(needed_s)));
}

void write_restart_log(const std::optional<SlurmAllocation>& allocation, const JobSpec& job,
                       const Plan& plan, const RunSummary& summary) {
  const auto log = environment("KERNELBATCH_RESTART_LOG");
  const int signal = interrupting_signal();
  if (!log || (summary.was_interrupted && signal != SIGALRM && signal != SIGUSR1)) return;
  const std::size_t results = summary.total - summary.resumed;
  std::string line = fmt::format("{} {}", allocation ? allocation->restart_count : 0, results);
  if (summary.interrupted && results == 0) {
    const bool is_gpu = allocation && allocation->has_gpus();
    const std::string text =
        interrupted_text(job, plan, *summary.interrupted,
                         expected_seconds(job, plan, summary.interrupted->planned, is_gpu));
    fmt::print(stderr, "kernelbatch: no new result: {}\n", text);
    line += " " + text;
  }
  // One write: other processes of the task append, too.
  std::ofstream file(*log, std::ios::app);
  file << line + "\n" << std::flush;
  if (!file) warn(fmt::format("cannot write '{}'", *log));
}

}  // namespace kernelbatch::app
