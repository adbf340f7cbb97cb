// The launches that a piece of work makes, as the device saw them.
#pragma once

#include <cstdint>
#include <limits>
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
};

/// Name of a symbol as C++ writes it; the symbol itself where it is no C++ name.
std::string demangled(const char* symbol);

}  // namespace kernelbatch
