#include "core/device/cuda/capture/memory.hpp"

#include <algorithm>
#include <cstring>

namespace kernelbatch::capture {
namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << 12;

/// Inserts into an ascending list without duplicates.
void insert(std::vector<std::uint64_t>& list, std::uint64_t value) {
  const auto place = std::ranges::lower_bound(list, value);
  if (place == list.end() || *place != value) list.insert(place, value);
}

}  // namespace

DriverCalls::~DriverCalls() = default;

void PointerSearch::add_words(std::span<const std::byte> bytes) {
  std::uint64_t last = 0;
  for (std::size_t at = 0; at + sizeof last <= bytes.size(); at += sizeof last) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    // Canonical addresses of a process; the first page has none.
    if (word == last || word < kPage || word >> 47 != 0) continue;
    last = word;
    const auto known =
        std::ranges::find_if(ranges_, [&](const Range& range) { return range.contains(word); });
    if (known == ranges_.end()) {
      if (std::ranges::binary_search(unknown_, word / kPage)) continue;
      const auto found = driver_.allocation_at(word);
      if (!found || !found->contains(word)) {
        insert(unknown_, word / kPage);
        continue;
      }
      ranges_.insert(std::ranges::lower_bound(ranges_, found->address, {}, &Range::address),
                     *found);
    }
    insert(pointers_, word);
  }
}

std::uint64_t PointerSearch::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Range& range : ranges_) sum += range.bytes;
  return sum;
}

}  // namespace kernelbatch::capture
