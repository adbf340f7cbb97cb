// Hardware counters of a GPU, through CUPTI's range profiler.
#pragma once

#include <vector>

#include "core/device/counters.hpp"

namespace kernelbatch::cuda {

/// As kernelbatch::read_counters. Each launch is a range of its own, and each call of the work one
/// pass of the counters. KERNELBATCH_CUPTI=0 is a reason, too.
CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request);

}  // namespace kernelbatch::cuda
