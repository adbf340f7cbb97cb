// RunDelay: how long a process could run, and no core was free.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace kernelbatch {

/// Reads what Linux records of each thread in /proc/PID/task/TID/schedstat.
class RunDelay {
 public:
  explicit RunDelay(pid_t process = -1) : process_(process) {}

  /// Seconds since the last call in which a thread of the process waited for a core: those of the
  /// thread that waited longest. 0 if the system does not record it.
  double take();

 private:
  pid_t process_;
  std::map<pid_t, std::uint64_t> known_ns_;  ///< by thread, since it began
};

/// Nanoseconds that a thread waited for a core, from its schedstat: "run wait slices".
std::optional<std::uint64_t> waited_ns(std::string_view schedstat);

}  // namespace kernelbatch
