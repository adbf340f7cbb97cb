// CUB's sort of one thread's items on the host device.
#pragma once

#include "cub/util_type.cuh"

namespace cub {
/// Equal keys keep their order.
template <class Key, class Value, class Less, int Count>
inline void StableOddEvenSort(Key (&keys)[Count], Value (&values)[Count], Less less) {
  for (int k = 1; k < Count; ++k)
    for (int m = k; m > 0 && less(keys[m], keys[m - 1]); --m) {
      cuda::std::swap(keys[m], keys[m - 1]);
      cuda::std::swap(values[m], values[m - 1]);
    }
}
}  // namespace cub
