// The timing loops.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/job/spec.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// What the timing loops found: samples in the order in which they were taken.
struct Timing {
  std::vector<Sample> samples;  ///< cold, hot, host
  Summary cold, hot, host;
  std::string stop_reason;
};

/// Times `work` on a device's stream with its events: cold samples (the L2 cache flushed before
/// each), then, where the spec says so, hot ones (back to back). `work` has run at least once
/// already. On the host device the same loops run on the steady clock. Samples are taken until the
/// 95 % interval of the median is narrower than spec.noise, but at least min_samples and at most
/// max_samples, and no longer than timeout_s.
Timing time_on_device(const std::function<void()>& work, Stream& stream, const MeasureSpec& spec);

/// Times `work` by the steady clock alone: for references.
Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec);

}  // namespace kernelbatch
