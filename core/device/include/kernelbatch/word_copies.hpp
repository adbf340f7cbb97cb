// Asynchronous copies of elements, and of words that contain them.
#pragma once

#include "kernelbatch/async_copies.hpp"

namespace kernelbatch {

/// Begins to copy an element of 4, 8 or 16 bytes at a distance in bytes.
template <class T, class Index>
KERNELBATCH_INLINE void begin_element_copy(T* to, const T* base, Index offset) {
  begin_copy<static_cast<int>(sizeof(T))>(to, offset_pointer(base, offset));
}

/// Begins to copy the word of elements at a distance in bytes, or those of them between `low` and
/// `high`.
template <int Bytes, class T, class Index>
KERNELBATCH_INLINE void begin_word_copy(T* to, const T* base, Index offset, Index low, Index high) {
  constexpr int size = static_cast<int>(sizeof(T));
  if (offset >= low && offset <= high - Bytes) {
    begin_copy<Bytes>(to, offset_pointer(base, offset));
    return;
  }
  for (int k = 0; k < Bytes / size; ++k) {
    const Index at = offset + k * size;
    if (at >= low && at <= high - size) to[k] = *offset_pointer(base, at);
  }
}

}  // namespace kernelbatch
