// Work that may crash, or never end, in a child process with limits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kernelbatch {

struct ConfinedLimits {
  double seconds = 60;  ///< of processor time; of waiting, four times as much
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< beyond what this process has
};

/// Runs `work` in a forked copy of this process and returns what it returned. The copy starts no
/// other process and sees no thread but the calling one. A SpecError of `work` is thrown again as a
/// SpecError, every other exception as a StoreError with its text; a crash, or a limit that was
/// met, is a StoreError that says so.
std::string run_confined(const std::function<std::string()>& work,
                         const ConfinedLimits& limits = {});

}  // namespace kernelbatch
