// What a measurement must not be believed for. Each function returns a sentence, empty where there
// is nothing to say.
#pragma once

#include <span>
#include <string>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Whether calls on one set of inputs may take twice the time of those on another: medians or
/// minima differ, one set has no samples, or one has too few of many. Calls in turn then decide.
bool may_differ_by_set(std::span<const Summary> by_set);

/// Calls on the job's own inputs take another time than those on inputs that nobody knew before:
/// what is known is looked up.
std::string different_by_set(double fast_s, double slow_s);

/// Seconds that passed by the clock that times, and by the system's own.
std::string different_clocks(double steady_s, double system_s);

/// The host works much longer in a call than queueing so many launches and copies takes, and longer
/// than the device: it may be the CPU that computes.
std::string busy_host(const Summary& host, const Summary& device, std::size_t queued);

/// Calls that take less than a kernel that does nothing: no kernel ran, or not when it was timed.
std::string faster_than_nothing(const Summary& calls, const Summary& nothing);

}  // namespace kernelbatch
