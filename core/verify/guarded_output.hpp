// Output memory with guard bands, filled so that what a kernel leaves unwritten shows.
#pragma once

#include <string>

#include "core/array/array.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// One output of one variant on a device: a sentinel (or what the output is to begin with) inside,
/// a known pattern before and after.
class GuardedOutput {
 public:
  /// `is_staged`: in host memory, for kernels that write it in pieces.
  GuardedOutput(Device& device, const OutputArray& spec, bool is_staged = false);

  const OutputArray& spec() const noexcept { return spec_; }
  const Array& array() const noexcept { return array_; }
  /// Fills elements and guards anew.
  void refill(Stream& stream);
  /// Empty while both guards are whole; else how many elements were written, on which side.
  std::string check_guards(Stream& stream) const;

 private:
  void fill_elements(Stream& stream);
  void fill(std::byte* to, std::uint32_t pattern, std::size_t bytes, Stream& stream);
  void put(std::byte* to, const std::byte* from, std::size_t bytes, Stream& stream);

  OutputArray spec_;
  Array memory_;  ///< guard, elements, guard
  Array array_;
  std::size_t middle_bytes_ = 0;
};

}  // namespace kernelbatch
