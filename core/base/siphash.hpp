// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed message hash that cannot be computed without
// the key.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kernelbatch {

/// 128 bits.
using MessageKey = std::array<std::uint64_t, 2>;

/// An unpredictable key. Throws EnvironmentError if the system provides no random bytes.
MessageKey random_message_key();

/// The hash of `bytes` under `key`, whose words are read as little-endian numbers.
std::uint64_t siphash(const MessageKey& key, std::string_view bytes) noexcept;

}  // namespace kernelbatch
