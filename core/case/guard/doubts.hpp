// Evidence that a variant's measurement is invalid, beyond its calls' results. Each function
// returns a sentence, empty if there is no such evidence.
#pragma once

#include <string>
#include <vector>

#include "core/case/guard/thread_times.hpp"
#include "core/measure/interval_check.hpp"
#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

/// Threads started since the variant's preparation that use the cores while its work is not called.
/// Takes a tenth of a second if there are new threads, otherwise almost no time.
std::string busy_threads(const ThreadTimes& before);

/// Calls shorter than the launch of an empty kernel, which is timed for comparison if calls are
/// short, on a stream that exists: one more makes later kernels longer (StreamPool). Work that
/// writes no bytes need not launch a kernel.
std::string faster_than_a_launch(const Summary& calls, double output_bytes, TimingTools& tools,
                                 Stream& stream);

/// Findings in a list of launches: check_interval(), and the absence of any launch.
std::vector<IntervalFinding> doubts_of_launches(const TimedCall& call);

/// Minimum bytes that pass through the device's memory in a call, whatever its caches hold at its
/// end: `read`, which is not cached at its beginning, and the part of `written` that does not fit
/// into the caches.
double least_bytes(double read, double written);

}  // namespace kernelbatch
