// Hardware counters of the launches that a piece of work makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One value of one counter, of one launch of the work.
struct CounterValue {
  std::int64_t launch = 0;  ///< its number within the work, from 0, in the order of launches
  std::string name;         ///< as the device's maker has it: dram__bytes_read.sum
  double value = 0;         ///< NaN for a ratio of nothing to nothing
};

struct CounterRequest {
  /// In order of importance. "a.sum|b.sum" asks for the first of the two that the device has.
  std::vector<std::string> names;
  int most_calls = 20;  ///< of the work: a call counts what the device can count at once
  /// Launches that a call of the work makes, as a launch list has them; 0 where that is unknown.
  std::size_t launches = 0;
  /// Comes before each call and is not counted: what the work needs to find. May be empty.
  std::function<void()> prepare;
  /// Queues launches on the first stream before each call, while the device counts already; they
  /// are left out. Returns how many. What the counting itself writes to the caches when it begins
  /// (on an H100 13 MB) would otherwise be written back within the call. May be empty.
  std::function<std::size_t()> settle;
  /// Queues one call. Every call must launch the same kernels. One launch runs after the other,
  /// each to its end before the next is queued, on whichever streams: none may wait for a later
  /// one, and no stream may be captured.
  std::function<void()> work;
};

struct CounterList {
  std::vector<CounterValue> values;  ///< by launch, then in the order of the request
  int calls = 0;                     ///< of the work, also where there are no values
  /// That have values. A captured graph is launched as one, however many kernels it has.
  std::int64_t launches = 0;
  std::int64_t dropped = 0;  ///< launches that there was no room for, over all calls
  /// Names of the request that this device does not have, or that `most_calls` has no room for.
  std::vector<std::string> left_out;
  /// Why there are no values: one sentence, with what an administrator must set where it is a
  /// matter of permission. Empty where there are.
  std::string reason;
};

/// Calls the work until each of the counters was read of each of its launches. `streams` are those
/// of the work; they are idle around each call. What `prepare` and `work` throw passes, and so does
/// what their kernels failed with; anything else that fails is a reason, not an error. Nothing
/// stays switched on.
CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request);

}  // namespace kernelbatch
