// Checks that the kernels that a device ran are the work timed by its events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/choice.hpp"
#include "core/device/launch_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Evidence that a time is invalid.
enum class IntervalDoubt : std::uint8_t {
  kOutside,   ///< work ran before the start event or after the stop event
  kNoKernel,  ///< outputs were written, but not by a kernel
  kTooLong,   ///< kernels took longer than the time between the events
  kFromHost,  ///< the host may have computed what it copied to the device
};
template <>
struct Names<IntervalDoubt> {
  static constexpr Named<IntervalDoubt> rows[] = {{IntervalDoubt::kOutside, "outside"},
                                                  {IntervalDoubt::kNoKernel, "no_kernel"},
                                                  {IntervalDoubt::kTooLong, "too_long"},
                                                  {IntervalDoubt::kFromHost, "from_host"}};
};

struct IntervalFinding {
  IntervalDoubt doubt = IntervalDoubt::kOutside;
  std::string sentence;  ///< "kernel 'tail' ran 12.0 µs after the stop event, on another stream"
};

/// One call with its list of launches and its duration.
struct TimedCall {
  const LaunchList& list;
  double event_time = kMissing;  ///< s, median of the samples of one call; NaN = unknown
  double output_bytes = 0;       ///< that one call writes
  /// Inputs pass through the device in chunks: copies from the host are part of the work.
  bool is_staged = false;
};

/// Evidence that the time of a call is invalid, the most severe first; nothing if the list does not
/// contain the work's interval. Depends only on its argument.
std::vector<IntervalFinding> check_interval(const TimedCall& call);

/// Time in s during which at least one of these launches, memsets and copies on the device ran.
double busy_time(const LaunchList& list);

}  // namespace kernelbatch
