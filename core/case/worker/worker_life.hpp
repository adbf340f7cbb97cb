// Ends a worker and its child processes together with its supervisor.
#pragma once

namespace kernelbatch {

/// From now on this process and its group (compilers and their children) are killed as soon as the
/// process at the other end of `socket` is gone, for whatever reason and whatever this process is
/// doing. Call it before anything else is loaded. Descendants that lose their parent are adopted by
/// this process.
void end_with_supervisor(int socket);

}  // namespace kernelbatch
