#include "core/device/host/checks/shadow.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::host {
namespace {

constexpr unsigned kPhases = 4095;

}  // namespace

Region::Region(const void* memory, std::size_t bytes, Kind kind_of)
    : kind(kind_of),
      begin_(reinterpret_cast<std::uintptr_t>(memory)),
      first_word_(begin_ / Word::kBytes * Word::kBytes),
      bytes_(bytes),
      words_((begin_ + bytes - first_word_ + Word::kBytes - 1) / Word::kBytes) {
  if (kind == Kind::kUnchecked || words_ == 0) return;
  // Zero pages, which use no memory before they are touched.
  void* const made = ::mmap(nullptr, words_ * sizeof(Word), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    throw OutOfMemoryError(fmt::format("the checks of an array of {} need {} more",
                                       format_bytes(bytes), format_bytes(words_ * sizeof(Word))));
  // Without huge pages most of the time is spent in page faults.
  if (words_ * sizeof(Word) >= std::size_t{4} << 20)
    ::madvise(made, words_ * sizeof(Word), MADV_HUGEPAGE);
  shadow_ = static_cast<Word*>(made);
}

Region::~Region() {
  if (shadow_ != nullptr) ::munmap(shadow_, words_ * sizeof(Word));
}

void Region::set_values(std::uintptr_t address, std::size_t bytes) {
  if (!begins_without_values || shadow_ == nullptr) return;
  bytes = std::min<std::size_t>(bytes, begin_ + bytes_ - address);
  if (address == begin_ && bytes == bytes_) {
    begins_without_values = false;
    return;
  }
  for (std::size_t k = 0; k < bytes; ++k) {
    Word& word = word_of(address + k);
    word.has_value = (word.has_value | 1u << (address + k) % Word::kBytes) & 15u;
  }
}

void Region::forget(bool with_values) {
  if (shadow_ == nullptr) return;
  if (with_values && !loses_values)
    for (std::size_t k = 0; k < words_; ++k) shadow_[k].has_value = 0;
  if (++phase_ <= kPhases) return;
  // Phase numbers wrap around: no word may keep one of the previous cycle.
  phase_ = 1;
  for (std::size_t k = 0; k < words_; ++k) shadow_[k].phase = 0;
}

}  // namespace kernelbatch::host
