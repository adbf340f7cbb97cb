// The memory of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cheats {

/// Calls `found` with the address of every place in writable memory that holds these bytes, at
/// addresses that are multiples of `step`, until it returns true. The memory may change meanwhile.
void find_bytes(std::span<const std::byte> bytes, std::size_t step,
                const std::function<bool(std::uintptr_t)>& found);
/// Bytes at an address; fewer if memory is not readable.
std::vector<std::byte> read_memory(std::uintptr_t address, std::size_t count);

}  // namespace cheats
