// Hardware counters of the launches of a piece of work.
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
  std::string name;         ///< the vendor's name: dram__bytes_read.sum
  double value = 0;         ///< NaN for a ratio of nothing to nothing
};

struct CounterRequest {
  /// In order of importance. "a.sum|b.sum" requests the first of the two that the device has.
  std::vector<std::string> names;
  int most_calls = 20;  ///< of the work; each call reads as many counters as fit
  /// Launches in one call of the work, from a launch list; 0 if unknown.
  std::size_t launches = 0;
  /// Called before each call and not counted: sets up what the work needs. May be empty.
  std::function<void()> prepare;
  /// Queues launches on the first stream before each call, after counting has started; they are
  /// left out of the results. Returns how many. Otherwise the data that counting itself writes to
  /// the caches at its start (13 MB on an H100) would be written back within the call. May be
  /// empty.
  std::function<std::size_t()> after_flush;
  /// Queues one call. Every call must launch the same kernels. Launches are serialized: each one
  /// completes before the next is queued, on whichever streams. None may wait for a later one, and
  /// no stream may be captured.
  std::function<void()> work;
};

struct CounterList {
  std::vector<CounterValue> values;  ///< by launch, then in the order of the request
  int calls = 0;                     ///< of the work, also if there are no values
  /// Launches with values. A captured graph counts as one launch, however many kernels it has.
  std::int64_t launches = 0;
  std::int64_t dropped = 0;  ///< launches that did not fit, over all calls
  /// Requested names that this device does not have or that do not fit into `most_calls`.
  std::vector<std::string> left_out;
  /// One sentence: why there are no values. For a missing permission it names the setting that an
  /// administrator must change. Empty if there are values.
  std::string reason;
};

/// Calls the work until every counter has been read for every launch. `streams` are those of the
/// work; they are idle around each call. Exceptions of `prepare` and `work` propagate, and so do
/// errors of their kernels; any other failure is reported in `reason`. Counting is always disabled
/// at the end.
CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request);

}  // namespace kernelbatch
