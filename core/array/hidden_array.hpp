// HiddenArray: an array that cannot be found in memory by its values.
#pragma once

#include <cstdint>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A host array that is encoded in memory if hides_memory(): kernel texts run in that process and
/// can read all of it. Otherwise it is the array itself. Copies share the memory.
class HiddenArray {
 public:
  HiddenArray() = default;
  /// Does not change `plain`, whose memory is wiped when it is freed.
  explicit HiddenArray(const Array& plain);

  DType dtype() const noexcept { return array_.dtype(); }
  const Shape& shape() const noexcept { return array_.shape(); }
  std::size_t bytes() const noexcept { return array_.bytes(); }
  /// The values; a copy if they are encoded. Keep none of it while a kernel runs.
  Array shown() const;

 private:
  Array array_;
  std::uint64_t number_ = 0;  ///< selects the key stream; 0: not encoded
};

}  // namespace kernelbatch
