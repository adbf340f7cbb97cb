// Output memory with guard bands, filled so that what a kernel leaves unwritten shows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Patterns of elements that were never written: info(dtype).sentinel, a NaN of every float, and
/// kNumericSentinel. Calls on both find elements that are left as they are, whatever the answer is.
enum class Sentinel : std::uint8_t { kUsual, kNumeric };

/// One output of one variant on a device: a sentinel (or what the output is to begin with) inside,
/// a known pattern before and after. What it begins with may differ between sets of inputs.
class GuardedOutput {
 public:
  /// `is_staged`: in host memory, for kernels that write it in pieces.
  GuardedOutput(Device& device, const OutputArray& spec, bool is_staged = false);

  /// Of the set of inputs that is in use.
  const OutputArray& spec() const noexcept { return sets_[set_].spec; }
  const Array& array() const noexcept { return array_; }
  /// Elements and guards.
  const Array& memory() const noexcept { return memory_; }
  /// Whether the work may read what it begins with.
  bool has_contents() const noexcept;

  /// What it begins with for one more set of inputs. Throws SpecError for another form.
  void add_set(const OutputArray& spec);
  void use_set(std::size_t set) noexcept { set_ = set; }
  /// Keeps what no pattern of 4 bytes makes on the device, where `may_keep` says that there is room
  /// for so many bytes; from host memory restoring is slow.
  void keep_contents(const std::function<bool(std::size_t bytes)>& may_keep, Stream& stream);

  /// Fills elements and guards anew, and waits for that.
  void refill(Stream& stream);
  /// Queues filling the elements again: with the contents that they begin with, else a sentinel.
  void restore(Stream& stream, Sentinel sentinel = Sentinel::kUsual);
  /// Empty while both guards are whole; else how many elements were written, on which side.
  std::string check_guards(Stream& stream) const;

 private:
  /// What it begins with: `whole` where that is not empty, else a pattern, whose first bytes end
  /// elements that do not fill the last word.
  struct Contents {
    OutputArray spec;
    std::uint32_t pattern = 0;
    Array whole = {};
  };
  std::size_t guard_bytes() const noexcept;
  static Contents contents_of(const OutputArray& spec);
  void fill(std::byte* to, std::uint32_t pattern, std::size_t bytes, Stream& stream);
  void put(std::byte* to, const std::byte* from, std::size_t bytes, Copy kind, Stream& stream);

  std::vector<Contents> sets_;
  std::size_t set_ = 0;
  Array memory_;  ///< guard, elements, guard
  Array array_;
  std::size_t middle_bytes_ = 0;
  bool is_bare_ = false;  ///< no guards, and no first fill
};

}  // namespace kernelbatch
