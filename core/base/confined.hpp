// Runs work that may crash or hang in a child process with limits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kernelbatch {

struct ConfinedLimits {
  /// Of processor time; four times as much wall time, in which waits for a core do not count.
  double seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< in addition to this process's
};

/// Runs `work` in a forked copy of this process and returns its result. The copy starts no other
/// process and has only the calling thread. A SpecError of `work` is rethrown as a SpecError, every
/// other exception as a StoreError with its text; a crash or an exceeded limit is reported as a
/// StoreError.
std::string run_confined(const std::function<std::string()>& work,
                         const ConfinedLimits& limits = {});

}  // namespace kernelbatch
