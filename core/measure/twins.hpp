// Times of twins, modified executions of work: their differences show what limits the work.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/measure/timer.hpp"

namespace kernelbatch {

struct TwinRequest {
  std::function<void()> work;
  std::vector<Stream*> streams;  ///< the work's, beginning with its first one
  CallChecks* checks = nullptr;  ///< restores outputs before each call; a twin's results are wrong
  const MeasureSpec& measure;
  std::vector<Twin> twins;  ///< in order of importance; the work itself is timed before them
  double budget_s = 0;      ///< wall time within which the last of them must begin
};

struct TwinTime {
  Twin twin = Twin::kNone;
  double time = kMissing;  ///< s, the fastest of a few cold calls
};

/// The work itself, for comparison, and those of its twins for which there was time; empty if there
/// are none to time. Compiles twins of generated kernels. Afterwards the run works normally.
/// Propagates exceptions of the work.
std::vector<TwinTime> time_twins(const TwinRequest& request, TimingTools& tools);

/// "as_is", "half_occupancy": as stored
std::string_view name_of(Twin twin) noexcept;

}  // namespace kernelbatch
