// SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of messages, which nobody can compute
// who does not know the key.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kernelbatch {

/// 128 bits.
using MessageKey = std::array<std::uint64_t, 2>;

/// A key that nobody can guess. Throws EnvironmentError where the system gives no random bytes.
MessageKey random_message_key();

/// The hash of `bytes` under `key`, whose words are read as little-endian numbers.
std::uint64_t siphash(const MessageKey& key, std::string_view bytes) noexcept;

}  // namespace kernelbatch
