#include "core/array/hidden_array.hpp"

#include <atomic>
#include <cstring>
#include <string_view>

#include "core/base/parallel.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/siphash.hpp"

namespace kernelbatch {
namespace {

/// Steele, Lea and Flood, 2014: splitmix64.
std::uint64_t mixed(std::uint64_t word) noexcept {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

/// Two keys: with one, a known element and its code would reveal it, since mixed() is invertible.
MessageKey stream_key(std::uint64_t number) {
  static const MessageKey process_key = random_message_key();
  const auto part = [&](std::uint64_t half) {
    const std::uint64_t words[] = {number, half};
    return siphash(process_key, {reinterpret_cast<const char*>(words), sizeof words});
  };
  return {part(0), part(1)};
}

/// Encodes and decodes: the exclusive or with a key stream, in the array's order of axes.
Array encoded(const Array& array, std::uint64_t number) {
  const Array whole = contiguous(array.is_contiguous() ? array : array.transpose());
  const Array result = Array::on_host(whole.dtype(), whole.shape());
  const MessageKey key = stream_key(number);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::int64_t kWordsPerThread = 1 << 20;
  const auto encode = [&](std::size_t k, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, whole.data() + k * kWord, bytes);
    word ^= mixed(k ^ key[0]) ^ key[1];
    std::memcpy(result.data() + k * kWord, &word, bytes);
  };
  const std::size_t words = whole.bytes() / kWord;
  parallel_for(static_cast<std::int64_t>(words), kWordsPerThread,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t k = begin; k < end; ++k)
                   encode(static_cast<std::size_t>(k), kWord);
               });
  encode(words, whole.bytes() % kWord);
  return array.is_contiguous() ? result : result.transpose();
}

}  // namespace

HiddenArray::HiddenArray(const Array& plain) : array_(plain) {
  static std::atomic<std::uint64_t> last = 0;
  if (!hides_memory() || plain.bytes() == 0) return;
  number_ = ++last;
  array_ = encoded(plain, number_);
}

Array HiddenArray::shown() const { return number_ == 0 ? array_ : encoded(array_, number_); }

}  // namespace kernelbatch
