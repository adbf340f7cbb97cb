// Truncates long texts of other programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelbatch {

/// Maximum number of bytes kept of a compiler's log.
inline constexpr std::size_t kLongestLog = std::size_t{64} << 10;

/// The text if it has at most `most` bytes, else its first and last lines, with the number of
/// omitted bytes on a line between them.
std::string head_and_tail(std::string_view text, std::size_t most = kLongestLog);

}  // namespace kernelbatch
