// Child processes that this process has started or adopted and not yet waited for.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace kernelbatch {

struct ChildProcess {
  pid_t process = 0;
  pid_t group = 0;
  std::string name;  ///< of its program
  bool has_ended = false;
};

/// Makes this process adopt orphans of its children, even detached ones (setsid, a double fork).
void adopt_orphans() noexcept;

/// Children of this process, except those given. Costs one system call if there are none.
std::vector<ChildProcess> child_processes(std::span<const pid_t> except = {});

/// Kills and waits for all children except those given, and their orphans. Returns the names and
/// numbers of those that were still running: "sleep (4711)". Members of `killed`, a process group
/// killed just before, are not named, since it is chance which of them still run.
std::vector<std::string> end_children(std::span<const pid_t> except = {}, pid_t killed = 0);

}  // namespace kernelbatch
