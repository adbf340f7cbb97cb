// The launches that a piece of work makes, as the device saw them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One launch of a kernel. -1 and NaN where unknown.
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
  /// Whether it began and ended within that interval; nothing where unknown.
  std::optional<bool> is_inside = {};
};

enum class TransferKind : std::uint8_t { kFromHost, kToHost, kOnDevice, kFill, kUnknown };

/// One copy or memset, on any stream of the process. Memory of the host that kernels read or write
/// themselves is not among these.
struct Transfer {
  TransferKind kind = TransferKind::kUnknown;
  std::int64_t bytes = 0;
  double duration = std::numeric_limits<double>::quiet_NaN();  ///< s
  std::int64_t stream = 0;
  double start = std::numeric_limits<double>::quiet_NaN();  ///< as Launch::start
  std::optional<bool> is_inside = {};
};

/// Gives launches that CUPTI listed the names of the calls that made them, where those differ:
/// CUPTI goes by a module's address, and of one that was unloaded while it did not listen it has
/// the old kernels' names for the new ones. Launches that are none of `calls` (a library's) keep
/// theirs.
void correct_names(std::vector<Launch>& launches, const std::vector<Launch>& calls);

struct LaunchList {
  std::vector<Launch> launches;  ///< in the order in which they started, or were queued
  /// "CUPTI", "captured graph", "launch calls" (those that kernelbatch itself made), "host".
  std::string source;
  /// Why a better source was not available; empty where none is better.
  std::string reason;
  std::vector<Transfer> transfers = {};  ///< in that order; empty where transfers are unknown
  bool lists_transfers = false;
  /// s from the end of a kernel before the work to the start of one after it, both on the work's
  /// first stream: where the events of a timed call are. The two are not listed. NaN where unknown,
  /// and so is what is inside.
  double interval = std::numeric_limits<double>::quiet_NaN();
  std::int64_t first_stream = -1;  ///< the work's first stream, as Launch::stream
};

/// Finds the two marker kernels of a list that has the starts of all: the first launch of the one
/// form and the last of the other. Takes them out and counts all starts from the interval's begin.
/// Where one is missing, starts and interval are unknown. Returns whether both were there.
bool place_in_interval(LaunchList& list, const LaunchShape& before, const LaunchShape& after);

/// Name of a symbol as C++ writes it; the symbol itself where it is no C++ name.
std::string demangled(const char* symbol);

}  // namespace kernelbatch
