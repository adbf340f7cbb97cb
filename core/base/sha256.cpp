#include "core/base/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace kernelbatch {
namespace {

constexpr std::size_t kBlockBytes = 64, kRounds = 64;

/// The first 32 bits of the fractional part of the nth root of a prime; exact for the primes below
/// 312, found by bisection in integers.
constexpr std::uint32_t root_fraction(std::uint32_t prime, int n) {
  // The largest x with x^n <= prime * 2^(32 n); x has 32 fractional bits and at most 5 others.
  __extension__ using Wide = unsigned __int128;
  std::uint64_t low = 0, high = std::uint64_t{1} << 37;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    // A cube of a 37-bit number has 111 bits, so it fits.
    const Wide power = n == 2 ? Wide{middle} * middle : Wide{middle} * middle * middle;
    if (power <= (Wide{prime} << (32 * n)))
      low = middle;
    else
      high = middle;
  }
  return static_cast<std::uint32_t>(low);
}

template <std::size_t Count>
constexpr std::array<std::uint32_t, Count> root_fractions(int n) {
  std::array<std::uint32_t, Count> values{};
  std::size_t found = 0;
  for (std::uint32_t candidate = 2; found < Count; ++candidate) {
    bool is_prime = true;
    for (std::uint32_t divisor = 2; divisor * divisor <= candidate; ++divisor)
      is_prime = is_prime && candidate % divisor != 0;
    if (is_prime) values[found++] = root_fraction(candidate, n);
  }
  return values;
}

constexpr auto kStart = root_fractions<8>(2);
constexpr auto kRoundConstants = root_fractions<kRounds>(3);
static_assert(kStart[0] == 0x6a09e667 && kStart[7] == 0x5be0cd19);
static_assert(kRoundConstants[0] == 0x428a2f98 && kRoundConstants[63] == 0xc67178f2);

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, const unsigned char* block) {
  std::array<std::uint32_t, kRounds> w{};
  for (std::size_t k = 0; k < 16; ++k)
    w[k] = std::uint32_t{block[4 * k]} << 24 | std::uint32_t{block[4 * k + 1]} << 16 |
           std::uint32_t{block[4 * k + 2]} << 8 | std::uint32_t{block[4 * k + 3]};
  for (std::size_t k = 16; k < kRounds; ++k) {
    const std::uint32_t a = w[k - 15], b = w[k - 2];
    w[k] = w[k - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[k - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  State s = state;
  for (std::size_t k = 0; k < kRounds; ++k) {
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const std::uint32_t first = s[7] +
                                (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                choice + kRoundConstants[k] + w[k];
    const std::uint32_t second =
        (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
    s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += s[k];
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state = kStart;
  std::string padded(bytes.substr(bytes.size() - bytes.size() % kBlockBytes));
  padded += '\x80';
  while (padded.size() % kBlockBytes != kBlockBytes - 8) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(std::uint64_t{bytes.size()} * 8 >> shift);
  const auto add = [&](std::string_view blocks) {
    for (std::size_t at = 0; at + kBlockBytes <= blocks.size(); at += kBlockBytes)
      add_block(state, reinterpret_cast<const unsigned char*>(blocks.data()) + at);
  };
  add(bytes);
  add(padded);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace kernelbatch
