// How a worker ends with its supervisor, and what it started with it.
#pragma once

namespace kernelbatch {

/// From now on this process and its group (compilers, and what they start) are killed as soon as
/// the process at the other end of `socket` is gone, however that ended and whatever this one is
/// doing. To be called before anything else is loaded. What moves away from its parents below is
/// adopted.
void end_with_supervisor(int socket);

}  // namespace kernelbatch
