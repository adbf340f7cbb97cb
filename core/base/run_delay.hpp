// RunDelay: time in which a process was runnable but had no core.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace kernelbatch {

/// Reads the scheduler statistics of each thread from /proc/PID/task/TID/schedstat.
class RunDelay {
 public:
  explicit RunDelay(pid_t process = -1) : process_(process) {}

  /// Seconds since the last call in which a thread of the process waited for a core; the maximum
  /// over its threads. 0 if the system does not record it.
  double take();

 private:
  pid_t process_;
  std::map<pid_t, std::uint64_t> known_ns_;  ///< by thread, since its start
};

/// Nanoseconds for which a thread waited for a core, from its schedstat: "run wait slices".
std::optional<std::uint64_t> waited_ns(std::string_view schedstat);

}  // namespace kernelbatch
