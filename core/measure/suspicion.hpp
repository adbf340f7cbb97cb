// Reasons not to trust a measurement. Each function returns a sentence, empty if there is no such
// reason.
#pragma once

#include <span>
#include <string>

#include "core/result/record.hpp"

namespace kernelbatch {

/// True if calls on one set of inputs may take twice the time of those on another: medians or
/// minima differ, one set has no samples, or too few of many. Alternating calls then decide.
bool may_differ_by_set(std::span<const Summary> by_set);

/// Calls on the job's own inputs take another time than those on inputs unknown before the run:
/// known answers are looked up.
std::string different_by_set(double fast_s, double slow_s);

/// Compares the seconds elapsed on the timing clock and on the system's clock.
std::string different_clocks(double steady_s, double system_s);

/// The host works much longer in a call than it takes to queue that number of launches and copies,
/// and longer than the device: the CPU may compute the result.
std::string busy_host(const Summary& host, const Summary& device, std::size_t queued);

/// Calls that take less than an empty kernel: no kernel ran, or not during the timed interval.
std::string faster_than_nothing(const Summary& calls, const Summary& nothing);

}  // namespace kernelbatch
