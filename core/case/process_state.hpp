// ProcessState: what a variant may change about its process, and what of it concerns others.
#pragma once

#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelbatch {

/// What one variant left of its process to the next.
struct Residue {
  /// Harm that the next ones would suffer and nobody does by accident: lowered limits, closed
  /// standard descriptors, leaked ones, processes that go on. The variant fails. A sentence's end:
  /// "left the process sleep (4711) running". Empty where there is none.
  std::string harm;
  /// What some libraries do for themselves: another current folder, umask, environment, locale,
  /// signals, rounding, timers, priority; many descriptors of others closed, hundreds of threads.
  /// The result stands, and the next variant gets a fresh process. Empty where there is none.
  std::string change;
};

/// A snapshot. Costs about as much as reading a file of /proc.
class ProcessState {
 public:
  /// Of this process and, as to signals and rounding, of this thread. Throws nothing: what cannot
  /// be looked at, for want of descriptors, is unknown.
  static ProcessState now();

  /// What became different between two snapshots, of which `after` is the present. Children found
  /// are named, not ended.
  static Residue residue(const ProcessState& before, const ProcessState& after);

  std::size_t descriptors() const noexcept { return descriptors_.size(); }

  /// So many more open descriptors after one variant are a leak. Libraries that a variant loads
  /// keep some.
  static constexpr std::size_t kLeak = 64;
  /// So many more threads are more than a pool for each of several libraries.
  static constexpr std::int64_t kThreads = 512;

 private:
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  /// Number → what it stands for: device and inode. Empty where the table cannot be listed.
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> descriptors_;
  bool has_descriptors_ = false;
  std::map<std::string, std::string> environment_, status_;  ///< lines of /proc/self/status
  std::string folder_, locale_;
  std::vector<std::string> children_;
  std::int64_t threads_ = 0;
  int rounding_ = 0, priority_ = 0;
  unsigned control_ = 0;  ///< of the floating-point unit
  unsigned timers_ = 0;   ///< a bit for each that runs
};

}  // namespace kernelbatch
