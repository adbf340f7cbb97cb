#include "core/base/siphash.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void mix(int rounds) noexcept {
    for (int k = 0; k < rounds; ++k) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void add(std::uint64_t word) noexcept {
    v3 ^= word;
    mix(2);
    v0 ^= word;
  }
};

}  // namespace

MessageKey random_message_key() {
  MessageKey key{};
  ssize_t count = -1;
  do count = ::getrandom(key.data(), sizeof key, 0);
  while (count < 0 && errno == EINTR);
  // A small number of bytes is delivered completely or not at all.
  if (count != static_cast<ssize_t>(sizeof key))
    throw EnvironmentError(fmt::format("cannot draw a random key: {}", std::strerror(errno)));
  return key;
}

std::uint64_t siphash(const MessageKey& key, std::string_view bytes) noexcept {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  SipState state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                 key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  std::size_t at = 0;
  for (; bytes.size() - at >= kWord; at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    state.add(word);
  }
  std::uint64_t last = 0;
  if (at < bytes.size()) std::memcpy(&last, bytes.data() + at, bytes.size() - at);
  state.add(last | std::uint64_t{bytes.size()} << 56);
  state.v2 ^= 0xff;
  state.mix(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace kernelbatch
