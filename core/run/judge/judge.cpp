#include "core/run/judge/judge.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/case_passes.hpp"
#include "core/run/complete_case.hpp"
#include "core/run/judge/stored_calibration.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch {

Judge::Judge(JudgeOptions options)
    : options_(std::move(options)),
      workers_(options_.worker_command, options_.interrupt),
      state_{.workers = workers_,
             .observer = observer_,
             .purpose = {.device = options_.device, .sanitize = options_.sanitize}} {
  // On the host a worker opens its device after it is confined.
  if (options_.keeps_spare) workers_.keep_spare(options_.device == "host" ? "" : options_.device);
}

ResultFile Judge::run(const JobSpec& job) {
  constexpr std::size_t kMostCases = 1000;
  const auto describe = [](const std::string& plugin) -> WorkloadInfo {
    throw SpecError(fmt::format("'{}' is not a kernel in a job", plugin));
  };
  const Plan plan = make_plan(job, describe, kMostCases);
  const bool may_calibrate = job.measure.times && job.measure.calibrate;
  if (may_calibrate && !state_.was_calibrated) {
    state_.calibration = stored_calibration(options_.device_name);
    state_.was_calibrated = !state_.calibration.empty();
  }
  // A worker keeps all kernels that it has loaded.
  constexpr int kJobsPerWorker = 100;
  if (++jobs_ % kJobsPerWorker == 0) workers_.reset();
  const bool was_calibrated = state_.was_calibrated;
  workers_.use_job(job);
  ResultFile file;
  for (const PlannedCase& planned : plan.cases) {
    const PlannedWorkload& workload = plan.workloads[planned.workload];
    CaseOutcome one = run_passes(state_, job, workload, planned, "", {});
    if (one.was_interrupted) throw Error(ExitCode::kResumable, "stopped before the verdict");
    complete_case(one.record, workload, state_.calibration, {});
    std::ranges::move(one.record.results, std::back_inserter(file.results));
  }
  if (!was_calibrated && !state_.calibration.empty())
    store_calibration(options_.device_name, state_.calibration);
  file.calibration = state_.calibration;
  return file;
}

}  // namespace kernelbatch
