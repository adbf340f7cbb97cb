// Host memory: the amount available to this process, and operations on large blocks with all cores:
// one core fills new pages at a tenth of the memory's speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace kernelbatch {

/// Bytes available without swapping: the system's available memory, or the limit of a control group
/// (a Slurm job's, a container's) if that is less. The largest number if unknown.
std::uint64_t available_memory();

/// Smaller blocks are allocated without asking how much is available, which reads several files.
inline constexpr std::size_t kWorthAsking = std::size_t{64} << 20;

/// From here on this process keeps the heap memory that it frees, up to 128 MiB, instead of
/// returning it to the system after each work: new pages take a tenth of a kernel's compile time.
void keep_freed_memory() noexcept;

/// Memory left by control groups, from the lines of /proc/self/cgroup and the folder of their
/// files: version 2 ("0::/…") and version 1 ("…memory…:/…").
std::uint64_t memory_of_groups(std::istream& groups, const std::string& root);

/// Like memcpy, on all cores. Blocks of a few MiB stay on the calling thread.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// Like memset, on all cores.
void fill_bytes(void* to, std::byte value, std::size_t bytes);

/// Like memcmp == 0, on all cores.
bool equal_bytes(const void* a, const void* b, std::size_t bytes);

}  // namespace kernelbatch
