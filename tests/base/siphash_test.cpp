#include "core/base/siphash.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("SipHash-2-4 of the published vectors") {
  // Key 00 01 … 0f, message 00 01 … of each length: vectors_sip64 of the authors' program. The
  // last one is the example of the paper.
  constexpr MessageKey kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  constexpr std::uint64_t kVectors[] = {
      0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
      0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
      0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
      0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5};
  std::string message;
  for (const std::uint64_t expected : kVectors) {
    CAPTURE(message.size());
    CHECK(siphash(kKey, message) == expected);
    message += static_cast<char>(message.size());
  }
}

TEST_CASE("Every bit of key and message changes the hash") {
  const MessageKey key{1, 2};
  const std::string message = "a message of more than one word";
  const std::uint64_t hash = siphash(key, message);
  for (std::size_t bit = 0; bit < 128; ++bit) {
    MessageKey other = key;
    other[bit / 64] ^= std::uint64_t{1} << bit % 64;
    CHECK(siphash(other, message) != hash);
  }
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    std::string other = message;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
    CHECK(siphash(key, other) != hash);
  }
  CHECK(siphash(key, message + '\0') != hash);
}

TEST_CASE("Two random keys differ") { CHECK(random_message_key() != random_message_key()); }

}  // namespace
}  // namespace kernelbatch
