// ArgumentSignature: the properties of arguments that are checked once per kind of call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

/// Kind and dtype of every argument of a call; for an array also its number of axes, whether it is
/// contiguous and whether it is on the device; for a struct its size. Not shapes, not values.
class ArgumentSignature {
 public:
  ArgumentSignature(std::span<const Argument> arguments, const Device& device);
  /// True if these arguments have the same signature. Allocates nothing.
  bool matches(std::span<const Argument> arguments, const Device& device) const noexcept;

 private:
  const Device* device_;
  std::vector<std::uint64_t> codes_;
};

}  // namespace kernelbatch
