// Whether the kernels that a device saw are the work that its events timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/choice.hpp"
#include "core/device/launch_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// What speaks against a time.
enum class IntervalDoubt : std::uint8_t {
  kOutside,   ///< work ran before the start event or after the stop event
  kNoKernel,  ///< outputs were written, and by no kernel
  kTooLong,   ///< kernels took longer than the events say
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

/// One call as its launches were listed, and how long it takes.
struct TimedCall {
  const LaunchList& list;
  double event_time = kMissing;  ///< s, median of the samples of one call; NaN = unknown
  double output_bytes = 0;       ///< that one call writes
  /// Inputs pass through the device in pieces: copies from the host are part of the work.
  bool is_staged = false;
};

/// What speaks against the time of a call, the gravest first; nothing where the list does not know
/// the work's interval. Pure: it looks at nothing but its argument.
std::vector<IntervalFinding> check_interval(const TimedCall& call);

/// s that at least one of these launches, and fills and copies on the device, ran.
double busy_time(const LaunchList& list);

}  // namespace kernelbatch
