// ArgumentSignature: what is settled once about calls with arguments of certain kinds and types.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

/// Kind and dtype of every argument of a call; of an array also the number of its axes, whether it
/// is contiguous and whether it is on the device; of a struct its size. Not shapes, not values.
class ArgumentSignature {
 public:
  ArgumentSignature(std::span<const Argument> arguments, const Device& device);
  /// Whether these arguments have the same. Allocates nothing.
  bool matches(std::span<const Argument> arguments, const Device& device) const noexcept;

 private:
  const Device* device_;
  std::vector<std::uint64_t> codes_;
};

}  // namespace kernelbatch
