// Hardware counters of a GPU, through CUPTI's range profiler.
#pragma once

#include <vector>

#include "core/device/counters.hpp"

namespace kernelbatch::cuda {

/// As kernelbatch::read_counters. Each launch is one range, and each call of the work one pass.
/// KERNELBATCH_CUPTI=0 also yields a reason.
CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request);

}  // namespace kernelbatch::cuda
