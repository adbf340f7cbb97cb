// CUB's searches in sorted values on the host device.
#pragma once

#include "cub/util_type.cuh"

namespace cub {
template <class I, class Offset, class T>
inline Offset LowerBound(I input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (input[first + half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
template <class I, class Offset, class T>
inline Offset UpperBound(I input, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (value < input[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}
/// Where the diagonal of a merge meets its path.
template <class I, class J, class Offset, class Coordinate>
inline void MergePathSearch(Offset diagonal, I a, J b, Offset a_count, Offset b_count,
                            Coordinate& at) {
  Offset low = diagonal > b_count ? diagonal - b_count : 0;
  Offset high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (a[middle] <= b[diagonal - middle - 1])
      low = middle + 1;
    else
      high = middle;
  }
  at.x = low < a_count ? low : a_count;
  at.y = diagonal - low;
}
}  // namespace cub
