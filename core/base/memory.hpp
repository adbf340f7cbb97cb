// The host's memory: how much of it this process may still use, and large blocks of it, which all
// cores work on: one core fills new pages at a tenth of the speed of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace kernelbatch {

/// Bytes that could be had without swapping: what the system has available, or less where a control
/// group (a Slurm job's, a container's) allows less. The largest number where nothing is known.
std::uint64_t available_memory();

/// What control groups leave, by the lines of /proc/self/cgroup and the folder where their files
/// are: version 2 ("0::/…") and version 1 ("…memory…:/…").
std::uint64_t memory_of_groups(std::istream& groups, const std::string& root);

/// As memcpy. Blocks of a few MiB stay on the calling thread.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// As memset.
void fill_bytes(void* to, std::byte value, std::size_t bytes);

/// As memcmp == 0.
bool equal_bytes(const void* a, const void* b, std::size_t bytes);

}  // namespace kernelbatch
