// A stack of a thread of a block.
#pragma once

#include <cstddef>

namespace kernelbatch::host {

/// Has an inaccessible page below it, and starts at an address that is not a multiple of a large
/// power of two: equal offsets in all stacks would share a few cache sets.
class Stack {
 public:
  /// Stacks of different colours begin at different offsets. Throws OutOfMemoryError.
  explicit Stack(std::size_t colour);
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack();
  char* lowest() const noexcept { return usable_; }
  std::size_t bytes() const noexcept { return usable_bytes_; }

 private:
  char* memory_ = nullptr;
  char* usable_ = nullptr;
  std::size_t bytes_ = 0, usable_bytes_ = 0;
};

}  // namespace kernelbatch::host
