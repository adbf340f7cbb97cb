// What speaks against a variant's measurement, beyond what its calls gave. Each function returns a
// sentence, empty where there is nothing to say.
#pragma once

#include <string>
#include <vector>

#include "core/case/thread_times.hpp"
#include "core/measure/interval_check.hpp"
#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

/// Threads that were not there before the variant was prepared and use the cores while nothing of
/// it is called. Takes a tenth of a second where there are new threads, else next to nothing.
std::string busy_threads(const ThreadTimes& before);

/// Short calls that take less than a launch that does nothing, which is timed for that. Work that
/// writes no bytes need not launch a kernel.
std::string faster_than_a_launch(const Summary& calls, double output_bytes, TimingTools& tools);

/// What a list of launches says: check_interval(), and that there was no launch at all.
std::vector<IntervalFinding> doubts_of_launches(const TimedCall& call);

/// Bytes that must pass through the device's memory in a call, whatever its caches hold at its end:
/// `read`, which they do not hold at its beginning, and what they have no room for of `written`.
double least_bytes(double read, double written);

}  // namespace kernelbatch
