// Output memory with guard bands, filled so that unwritten elements are detected.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Patterns of elements that were never written: info(dtype).sentinel, a NaN for every float, and
/// kNumericSentinel. Calls with both detect unwritten elements, whatever the answer is.
enum class Sentinel : std::uint8_t { kUsual, kNumeric };

/// One output of one variant on a device: a sentinel (or the output's initial contents) inside, a
/// known pattern before and after. Initial contents may differ between sets of inputs.
class GuardedOutput {
 public:
  /// `is_staged`: in host memory, for kernels that write it in chunks.
  GuardedOutput(Device& device, const OutputArray& spec, bool is_staged = false);

  /// Output of the current set of inputs.
  const OutputArray& spec() const noexcept { return sets_[set_].spec; }
  const Array& array() const noexcept { return array_; }
  /// Elements and guards.
  const Array& memory() const noexcept { return memory_; }
  /// True if the work may read the initial contents.
  bool has_contents() const noexcept;

  /// Adds the initial contents for one more set of inputs. Throws SpecError for another form.
  void add_set(const OutputArray& spec);
  void use_set(std::size_t set) noexcept { set_ = set; }
  /// Keeps initial contents that are not a 4-byte pattern on the device, if `may_keep` allows their
  /// size; restoring from host memory is slow.
  void keep_contents(const std::function<bool(std::size_t bytes)>& may_keep, Stream& stream);

  /// Refills elements and guards, and waits for that.
  void refill(Stream& stream);
  /// Queues refilling the elements: with their initial contents, else a sentinel.
  void restore(Stream& stream, Sentinel sentinel = Sentinel::kUsual);
  /// Queues filling the elements with zeros, or restoring their initial contents.
  void zero(Stream& stream);
  /// Empty while both guards are intact; otherwise the number of overwritten elements and the side.
  std::string check_guards(Stream& stream) const;

 private:
  /// Initial contents: `whole` if not empty, else a pattern; its first bytes fill elements that do
  /// not fill the last word.
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
  bool is_bare_ = false;  ///< no guards, no initial fill
  bool has_guards_ = true;
};

}  // namespace kernelbatch
