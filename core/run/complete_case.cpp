#include "core/run/complete_case.hpp"

#include <algorithm>

#include "core/result/ceiling.hpp"
#include "core/result/summarise.hpp"

namespace kernelbatch {

void complete_case(CaseRecord& record, const PlannedWorkload& workload,
                   const std::vector<DeviceCalibration>& calibration,
                   const std::vector<ResultRecord>& earlier) {
  const auto rank = [&](const ResultRecord& result) {
    return std::ranges::find(workload.variants, result.variant) - workload.variants.begin();
  };
  std::ranges::stable_sort(record.results, {}, rank);
  add_speedups(record.results, workload.baseline, earlier);
  for (ResultRecord& result : record.results)
    if (result.status == Status::kOk && result.processes > 0)
      state_for_next_run(result.cold, times_by_process(result, SampleKind::kCold),
                         usual_deviation(result));
  add_ceilings(record.results, calibration);
  record.calibration = calibration;
}

void add_speedups(std::vector<ResultRecord>& results, const std::string& baseline,
                  const std::vector<ResultRecord>& earlier) {
  const auto is_base = [&](const ResultRecord& record) {
    return record.variant == baseline && record.status == Status::kOk;
  };
  const auto fresh = std::ranges::find_if(results, is_base);
  const auto old = std::ranges::find_if(earlier, is_base);
  if (fresh == results.end() && old == earlier.end()) return;
  const Summary reference = fresh != results.end() ? fresh->cold : old->cold;
  for (ResultRecord& record : results) {
    if (record.status != Status::kOk) continue;
    record.speedup = reference.median / record.cold.median;
    record.speedup_low = reference.ci95_low / record.cold.ci95_high;
    record.speedup_high = reference.ci95_high / record.cold.ci95_low;
  }
}

}  // namespace kernelbatch
