// ProcessState: process-wide state that a variant may change, and which changes affect others.
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/children.hpp"

namespace kernelbatch {

/// Changes that one variant made to its process.
struct ProcessDelta {
  /// Changes that harm later variants and do not happen by accident: lowered limits, closed
  /// standard descriptors, leaked descriptors, processes left running. The variant fails. End of a
  /// sentence: "left the process sleep (4711) running". Empty if there are none.
  std::string fatal;
  /// Changes that some libraries make: another current folder, umask, environment, locale, signals,
  /// rounding, timers, priority; many other descriptors closed, hundreds of threads. The result is
  /// valid, and the next variant gets a fresh process. Empty if there are none.
  std::string recoverable;
};

using ResourceLimits = std::array<rlimit, RLIM_NLIMITS>;
/// Number → identity: device and inode.
using OpenDescriptors = std::map<int, std::pair<std::uint64_t, std::uint64_t>>;

/// A snapshot. Costs about as much as reading a file of /proc.
class ProcessState {
 public:
  /// State of this process; signals and rounding are those of this thread. Never throws: state that
  /// cannot be read, because descriptors are exhausted, is unknown.
  static ProcessState now();

  /// The differences between two snapshots; `after` is the current state. Child processes are
  /// named, not ended.
  static ProcessDelta difference(const ProcessState& before, const ProcessState& after);

  std::size_t descriptors() const noexcept { return descriptors_ ? descriptors_->size() : 0; }

  /// This number of additional open descriptors after one variant counts as a leak. Libraries that
  /// a variant loads keep some.
  static constexpr std::size_t kLeak = 64;
  /// This number of additional threads is more than thread pools of several libraries.
  static constexpr std::uint64_t kThreads = 512;

 private:
  ResourceLimits limits_{};
  std::optional<OpenDescriptors> descriptors_;  ///< nothing if the table cannot be listed
  std::map<std::string, std::string> environment_, status_;  ///< lines of /proc/self/status
  std::string folder_, locale_;
  std::vector<ChildProcess> children_;  ///< that are running
  int rounding_ = 0, priority_ = 0;
  unsigned control_ = 0;  ///< of the floating-point unit
  unsigned timers_ = 0;   ///< one bit per active timer
};

}  // namespace kernelbatch
