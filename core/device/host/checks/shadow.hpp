// State of every word of memory that kernels use: its last reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/device/access_checks.hpp"

namespace kernelbatch::host {

inline constexpr unsigned kWarp = 32;

inline std::uintptr_t number_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// A thread at a moment: 24 bits of the block's number, 10 of the thread's, 30 of its clock. 0
/// means none, as clocks begin at 1. Blocks whose numbers differ by 2^24 are treated as the same.
struct Moment {
  std::uint64_t bits = 0;

  static Moment of(std::uint64_t block, unsigned thread, std::uint32_t clock) noexcept {
    return {(block & kBlockMask) << 40 | std::uint64_t{thread} << 30 | clock};
  }
  bool is_somebody() const noexcept { return bits != 0; }
  std::uint32_t block() const noexcept { return static_cast<std::uint32_t>(bits >> 40); }
  unsigned thread() const noexcept { return static_cast<unsigned>(bits >> 30) & 1023u; }
  std::uint32_t clock() const noexcept { return static_cast<std::uint32_t>(bits) & kClockMask; }
  /// Whether both are moments of one thread.
  bool is_of_same_thread(Moment other) const noexcept { return bits >> 30 == other.bits >> 30; }

  static constexpr std::uint64_t kBlockMask = (1u << 24) - 1;
  static constexpr std::uint32_t kClockMask = (1u << 30) - 1;
};

/// An access of a word, without its moment.
struct Access {
  std::uint16_t site : 10;  ///< place in the code: number within the launch; 0 = not kept
  std::uint16_t bytes : 4;  ///< bytes of the word that were accessed, one bit each
  std::uint16_t atomic : 1;
  std::uint16_t block_scope : 1;  ///< atomic only for threads of its block
};

/// 4 bytes of memory: the last write, and two reads that are as far apart as possible.
struct Word {
  static constexpr std::size_t kBytes = 4;
  Moment writer, reader[2];
  Access write, read[2];
  std::uint16_t has_value : 4;  ///< bytes that were written, or came with a value
  std::uint16_t phase : 12;     ///< of the fields above; if it differs, nothing happened since
};
static_assert(sizeof(Word) == 8 * Word::kBytes, "at most 8 bytes of shadow for a byte");

/// A piece of memory that kernels may use. Its words are allocated when touched.
class Region {
 public:
  enum class Kind : std::uint8_t {
    kArray,       ///< of the job
    kAllocation,  ///< no part of it is described
    kGlobal,      ///< a variable of the kernel's text
    kShared,
    kUnchecked,  ///< the harness's own: what kernels are called with
  };
  Region(const void* memory, std::size_t bytes, Kind kind);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::uintptr_t begin() const noexcept { return begin_; }
  std::size_t bytes() const noexcept { return bytes_; }
  bool holds(std::uintptr_t address) const noexcept { return address - begin_ < bytes_; }
  Word& word_of(std::uintptr_t address) noexcept;

  /// Discards all recorded accesses; `with_values`: also the written state.
  void forget(bool with_values);
  /// These bytes have values.
  void set_values(std::uintptr_t address, std::size_t bytes);

  const Kind kind;
  std::string name;      ///< empty: the access determines the memory's name
  std::size_t item = 0;  ///< bytes of an element; 0 = those of the access
  bool is_read_only = false;
  bool begins_without_values = false;
  /// For shared memory: values are valid only in their phase.
  bool loses_values = false;

 private:
  std::uintptr_t begin_, first_word_;
  std::size_t bytes_, words_;
  Word* shadow_ = nullptr;
  unsigned phase_ = 1;
};

inline Word& Region::word_of(std::uintptr_t address) noexcept {
  Word& word = shadow_[(address - first_word_) / Word::kBytes];
  if (word.phase != phase_) {
    const unsigned kept = loses_values ? 0u : static_cast<unsigned>(word.has_value);
    word = Word{};
    word.has_value = (begins_without_values ? kept : 15u) & 15u;
    word.phase = phase_ & 4095u;
  }
  return word;
}

}  // namespace kernelbatch::host
