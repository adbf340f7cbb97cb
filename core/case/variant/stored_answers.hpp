// Times that show that work keeps answers: calls on other inputs take longer.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/case/variant/checked_calls.hpp"

namespace kernelbatch {

/// How one more call is timed.
struct TimedCalls {
  CheckedCalls& calls;
  PreparedMemory& memory;
  Stream& stream;                  ///< the first one of the work
  std::function<double()> time_s;  ///< makes a call and returns its seconds
};

/// Returns a sentence if calls on one of the two sets take much longer than those on the other.
/// Alternating calls are timed; none are made if the samples summarised in `by_set` show no
/// difference. The sets no longer alternate afterwards.
std::string compare_sets(const TimedCalls& timed, std::span<const Summary> by_set);

/// Times some calls on inputs that no call has seen, and more known ones if `known` has few
/// samples. Returns a sentence if they take much longer than the known ones. Long calls are made
/// rarely: only one for an honest kernel. The sets no longer alternate afterwards.
std::string look_for_memory(const TimedCalls& timed, const Summary& known);

}  // namespace kernelbatch
