#include "core/case/copied_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"

namespace kernelbatch {
namespace {

/// The first bytes of an element, at most eight.
std::uint64_t word_at(const std::byte* element, std::size_t item) {
  std::uint64_t word = 0;
  std::memcpy(&word, element, std::min(item, sizeof word));
  return word;
}

/// True if all of these elements occur in the memory.
bool holds_all(const HostMemory& memory, std::vector<std::uint64_t> words, std::size_t item) {
  const auto slot = [](std::uint64_t word) { return (word * 0x9e3779b97f4a7c15ull) >> 48; };
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::uint8_t> may_be(std::size_t{1} << 16);
  for (const std::uint64_t word : words) may_be[slot(word)] = 1;
  std::vector<std::atomic<bool>> found(words.size());
  std::atomic<std::size_t> missing = words.size();
  for (const HostArrayLog::Memory& each : memory) {
    if (each.owner.expired()) continue;
    const auto search = [&](std::int64_t begin, std::int64_t end) {
      const std::byte* element = each.begin + static_cast<std::size_t>(begin) * item;
      for (std::int64_t k = begin; k < end; ++k, element += item) {
        const std::uint64_t word = word_at(element, item);
        if (may_be[slot(word)] == 0) continue;
        const auto place = std::ranges::lower_bound(words, word);
        if (place == words.end() || *place != word) continue;
        if (!found[static_cast<std::size_t>(place - words.begin())].exchange(true)) --missing;
      }
    };
    constexpr std::int64_t kGrain = 1 << 16;
    parallel_for(static_cast<std::int64_t>(each.bytes / item), kGrain, search);
    if (missing == 0) return true;
  }
  return false;
}

}  // namespace

bool is_copied_from(const Array& array, const HostMemory& memory) {
  constexpr std::size_t kSamples = 64, kPiece = 8;
  const Array whole = contiguous(array);
  const auto size = static_cast<std::size_t>(whole.size());
  const std::size_t elements = size_of(whole.dtype()) < 4 ? std::min(size, kPiece) : 1;
  const std::size_t item = size_of(whole.dtype()) * elements;
  std::mt19937_64 random(std::random_device{}());
  std::uniform_int_distribution<std::size_t> begins(0, size - elements);
  std::vector<std::uint64_t> words;
  for (std::size_t k = 0; k < kSamples; ++k) {
    const std::byte* const begin = whole.data() + begins(random) * size_of(whole.dtype());
    if (elements == 1) {
      words.push_back(word_at(begin, item));
      continue;
    }
    const bool is_there = std::ranges::any_of(memory, [&](const HostArrayLog::Memory& each) {
      return !each.owner.expired() && ::memmem(each.begin, each.bytes, begin, item) != nullptr;
    });
    if (!is_there) return false;
  }
  return holds_all(memory, std::move(words), item);
}

bool belongs_to(const Array& host, const HostMemory& problem) {
  return host.size() == 0 || is_in(problem, host) || is_copied_from(host, problem);
}

}  // namespace kernelbatch
