// Times of work that is done in another way: what they differ by says what the work waits for.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/measure/timer.hpp"

namespace kernelbatch {

struct TwinRequest {
  std::function<void()> work;
  std::vector<Stream*> streams;  ///< the work's, the one it begins with first
  CallChecks* checks = nullptr;  ///< what each call finds its outputs as; its results are wrong
  const MeasureSpec& measure;
  std::vector<Twin> twins;  ///< in order of importance; that of the work itself comes before them
  double budget_s = 0;      ///< of wall time, in which the last of them begins
};

struct TwinTime {
  Twin twin = Twin::kNone;
  double time = kMissing;  ///< s, the fastest of a few cold calls
};

/// The work as it is, for comparison, and those of its twins that there was time for; empty where
/// there are none to time. Compiles twins of generated kernels. The device works as ever
/// afterwards. Throws what the work throws.
std::vector<TwinTime> time_twins(const TwinRequest& request, TimingTools& tools);

/// "as_is", "half_occupancy": as stored
std::string_view name_of(Twin twin) noexcept;

}  // namespace kernelbatch
