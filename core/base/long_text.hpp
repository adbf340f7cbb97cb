// Long texts of other programs, cut to what a person reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernelbatch {

/// Bytes of a compiler's log that are kept.
inline constexpr std::size_t kLongestLog = std::size_t{64} << 10;

/// The text if it has at most `most` bytes, else its first and last lines, with a line between them
/// that has the number of bytes left out.
std::string head_and_tail(std::string_view text, std::size_t most = kLongestLog);

}  // namespace kernelbatch
