// The launches that a piece of work makes, as the device saw them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One launch of a kernel. -1 and NaN if unknown.
struct Launch {
  std::string kernel;  ///< its symbol, demangled
  Dim3 grid, block;
  std::int64_t shared_dynamic = 0;                                    ///< byte per block
  std::int64_t shared_static = -1, registers = -1, local_bytes = -1;  ///< per block, thread, thread
  double occupancy =
      std::numeric_limits<double>::quiet_NaN();                ///< resident threads / most possible
  double duration = std::numeric_limits<double>::quiet_NaN();  ///< s on the device
  std::int64_t stream = 0;
  /// s after the work's interval began; negative before it.
  double start = std::numeric_limits<double>::quiet_NaN();
  /// Whether it began and ended within that interval; nothing if unknown.
  std::optional<bool> is_inside = {};
};

enum class TransferKind : std::uint8_t { kFromHost, kToHost, kOnDevice, kFill, kUnknown };

/// One copy or memset, on any stream of the process. Kernels' direct accesses to host memory are
/// not included.
struct Transfer {
  TransferKind kind = TransferKind::kUnknown;
  std::int64_t bytes = 0;
  double duration = std::numeric_limits<double>::quiet_NaN();  ///< s
  std::int64_t stream = 0;
  double start = std::numeric_limits<double>::quiet_NaN();  ///< as Launch::start
  std::optional<bool> is_inside = {};
};

/// Gives launches listed by CUPTI the names of the calls that made them, if they differ: CUPTI
/// identifies modules by address, and reports the old kernels' names if a module was unloaded while
/// CUPTI did not listen. Launches that are not in `calls` (a library's) keep their names.
void correct_names(std::vector<Launch>& launches, const std::vector<Launch>& calls);

struct LaunchList {
  std::vector<Launch> launches;  ///< in the order in which they started, or were queued
  /// "CUPTI", "captured graph", "launch calls" (those that kernelbatch itself made), "host".
  std::string source;
  /// Why a better source was not available; empty if none is better.
  std::string reason;
  std::vector<Transfer> transfers = {};  ///< in that order; empty if transfers are unknown
  bool lists_transfers = false;
  /// s from the end of a marker kernel before the work to the start of one after it, both on the
  /// work's first stream: the positions of a timed call's events. The markers are not listed. NaN
  /// if unknown; then is_inside is unknown too.
  double interval = std::numeric_limits<double>::quiet_NaN();
  std::int64_t first_stream = -1;  ///< the work's first stream, as Launch::stream
};

/// Finds the two marker kernels of a list with all starts: the first launch with shape `before` and
/// the last one with shape `after`. Removes them and makes all starts relative to the interval's
/// begin. If one is missing, starts and interval are unknown. Returns whether both were found.
bool place_in_interval(LaunchList& list, const LaunchShape& before, const LaunchShape& after);

/// The demangled name of a symbol; the symbol itself if it is not a C++ name.
std::string demangled(const char* symbol);

}  // namespace kernelbatch
