// What timing some work has found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/telemetry_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// What was found: samples in the order in which they were taken, and what to know of them.
struct Timing {
  std::vector<Sample> samples;  ///< cold, hot, host
  Summary cold, hot, host;
  std::vector<Summary> by_set;  ///< of the cold samples on each set of inputs that had some
  std::string stop_reason;
  TelemetrySummary telemetry;
  std::int64_t throttled = -1;  ///< samples dropped because the device slowed itself; -1 = unknown
  std::string doubt;            ///< why the times must not be believed; empty where nothing says so
  std::vector<std::string> notes;  ///< where the engine could not do as it does
};

/// Adds a sentence to what is to be known of a result's measurement; empty ones and ones that are
/// there already change nothing.
void add_note(ResultRecord& record, const std::string& note);

/// Copies what was found into a record.
void add_timing(Timing timing, ResultRecord& record);

}  // namespace kernelbatch
