// Result of timing some work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/telemetry_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Result of timing: samples in the order in which they were taken, and notes.
struct Timing {
  std::vector<Sample> samples;  ///< cold, hot, host
  Summary cold, hot, host;
  std::vector<Summary> by_set;  ///< of the cold samples by set of inputs
  std::string stop_reason;
  TelemetrySummary telemetry;
  std::int64_t throttled = -1;  ///< samples dropped because the device throttled; -1 = unknown
  std::string doubt;            ///< evidence that the times are invalid; empty if there is none
  std::vector<Note> notes;      ///< deviations from normal procedure
};

/// Copies the result into a record.
void add_timing(Timing timing, ResultRecord& record);

}  // namespace kernelbatch
