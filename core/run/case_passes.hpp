// Runs the passes of one case and merges their results.
#pragma once

#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_state.hpp"

namespace kernelbatch {

struct CaseOutcome {
  CaseRecord record;                  ///< results of this run
  std::vector<SpilledArray> spilled;  ///< their arrays
  std::vector<ResultRecord> earlier;  ///< final results of earlier runs
  bool was_interrupted = false;       ///< variants without a result remain
  std::string interrupted = {};       ///< variant that was running; empty before the first one
  bool has_failed = false;            ///< a result was wrong
};

/// Runs variants without a final result in `known`. `made_of` is stored with every result
/// (ResultRecord::made_of). Throws DeviceError if there is no device, RunError if no worker can be
/// started, EnvironmentError without the tool of a pass.
CaseOutcome run_passes(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                       const PlannedCase& planned, const std::string& made_of,
                       std::vector<FinishedResult> known);

}  // namespace kernelbatch
