// Values of a case's results that are derived from several of them.
#pragma once

#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Sorts results in the workload's order and adds values derived from several of them: speed-ups,
/// intervals for the next run, shares of a ceiling.
void complete_case(CaseRecord& record, const PlannedWorkload& workload,
                   const std::vector<DeviceCalibration>& calibration,
                   const std::vector<ResultRecord>& earlier);

/// Sets speed-ups over the baseline variant, with intervals from both medians'. If `results` lacks
/// the baseline, it is taken from `earlier`.
void add_speedups(std::vector<ResultRecord>& results, const std::string& baseline,
                  const std::vector<ResultRecord>& earlier = {});

}  // namespace kernelbatch
