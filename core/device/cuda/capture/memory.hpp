// Memory of a launch: allocations that its parameters point to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/device/cuda/capture/driver_calls.hpp"

namespace kernelbatch::capture {

/// Contents of one allocation before the launch, and after it.
struct Block {
  Range range = {};
  std::vector<std::byte> before = {}, after = {};

  bool is_changed() const { return before != after; }
};

/// Finds allocations by addresses.
class PointerSearch {
 public:
  explicit PointerSearch(DriverCalls& driver) : driver_(driver) {}

  /// Searches every aligned 8-byte word.
  void add_words(std::span<const std::byte> bytes);
  /// By address; allocations do not overlap.
  const std::vector<Range>& ranges() const noexcept { return ranges_; }
  /// Addresses that were found, ascending.
  const std::vector<std::uint64_t>& pointers() const noexcept { return pointers_; }
  std::uint64_t bytes() const noexcept;

 private:
  DriverCalls& driver_;
  std::vector<Range> ranges_;
  std::vector<std::uint64_t> pointers_;
  std::vector<std::uint64_t> unknown_;  ///< pages that no allocation has, ascending
};

}  // namespace kernelbatch::capture
