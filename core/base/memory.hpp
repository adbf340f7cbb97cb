// How much memory this process may still use.
#pragma once

#include <cstdint>

namespace kernelbatch {

/// Bytes that could be had without swapping: what the system has available, or less where a control
/// group (a Slurm job's, a container's) allows less. The largest number where nothing is known.
std::uint64_t available_memory();

}  // namespace kernelbatch
