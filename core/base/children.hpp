// The processes that this one has started or adopted and not yet waited for.
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

/// Adopts from now on what its children leave behind, however far they moved away (setsid, a double
/// fork): such processes become children of this one.
void adopt_orphans() noexcept;

/// Children of this process, except those. Costs one system call where there are none.
std::vector<ChildProcess> child_processes(std::span<const pid_t> except = {});

/// Kills and waits for all children except those, and for what they leave in turn. Gives the names
/// and numbers of those that still ran: "sleep (4711)". Those of `killed`, a process group that was
/// killed a moment ago, are not named, since it is chance which of them still run.
std::vector<std::string> end_children(std::span<const pid_t> except = {}, pid_t killed = 0);

}  // namespace kernelbatch
