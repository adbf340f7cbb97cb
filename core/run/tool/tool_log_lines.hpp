// Lines of compute-sanitizer's reports. Each function returns nothing, 0 or an empty text if the
// line has another form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernelbatch {

struct LogLocation {
  std::string kernel, place;
};
/// "at f(int *)+0x1a0 in a.cu:3", also after other words; code without source lines has only its
/// address: "f+0x1a0".
std::optional<LogLocation> location_in(std::string_view line);

/// "by thread (0,0,0) in block (2,0,0)".
struct LogExecutor {
  std::string thread, block;
};
std::optional<LogExecutor> executor_in(std::string_view line);

/// "Access to 0x7fe5b2c00100 is out of bounds": an address and a reason.
struct LogAccess {
  std::uint64_t address = 0;
  std::string reason;
};
std::optional<LogAccess> access_in(std::string_view line);

/// The number in "[64 hazards]".
std::int64_t hazards_in(std::string_view line);

/// "writes" for a line with "Write access".
std::string_view side_in(std::string_view line);

/// "Invalid __global__ write of size 4 bytes": "writes 4 bytes of global memory"; else the line.
std::string access_in_words(const std::string& head);

/// "Barrier error detected. Divergent thread(s) in block.": "is at a barrier or warp operation:
/// divergent thread(s) in block".
std::string barrier_in_words(std::string head);

}  // namespace kernelbatch
