// CUB's scans of one thread's items on the host device.
#pragma once

#include "cub/thread/thread_reduce.cuh"

namespace cub {
template <int Length, class T, class Op>
inline T ThreadScanExclusive(T (&input)[Length], T (&output)[Length], Op op, T prefix,
                             bool apply_prefix = true) {
  T inclusive = apply_prefix ? op(prefix, input[0]) : input[0];
  output[0] = prefix;
  T exclusive = inclusive;
  for (int k = 1; k < Length; ++k) {
    inclusive = op(exclusive, input[k]);
    output[k] = exclusive;
    exclusive = inclusive;
  }
  return inclusive;
}
template <int Length, class T, class Op>
inline T ThreadScanInclusive(T (&input)[Length], T (&output)[Length], Op op) {
  T sum = input[0];
  output[0] = sum;
  for (int k = 1; k < Length; ++k) output[k] = sum = op(sum, input[k]);
  return sum;
}
template <int Length, class T, class Op>
inline T ThreadScanInclusive(T (&input)[Length], T (&output)[Length], Op op, T prefix,
                             bool apply_prefix = true) {
  T sum = apply_prefix ? op(prefix, input[0]) : input[0];
  output[0] = sum;
  for (int k = 1; k < Length; ++k) output[k] = sum = op(sum, input[k]);
  return sum;
}
}  // namespace cub
