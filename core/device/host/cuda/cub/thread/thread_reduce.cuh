// CUB's reduction of one thread's items on the host device, in the order of a GPU.
#pragma once

#include "cub/thread/thread_operators.cuh"
#include "cub/util_ptx.cuh"

namespace cub {
namespace detail {
template <class Op, class T, template <class> class Known>
inline constexpr bool is_known =
    cuda::std::is_same_v<Op, Known<void>> || cuda::std::is_same_v<Op, Known<T>>;
/// Sums and products of floats of four bytes go by pairs, all else from left to right.
template <class Op, class T>
inline constexpr bool by_pairs = sizeof(T) < 8 && is_float_key<T> &&
                                 (is_known<Op, T, cuda::std::plus> ||
                                  is_known<Op, T, cuda::std::multiplies>);
template <class T, class Op>
inline T reduce_items(T* v, int count, Op op) {
  if constexpr (by_pairs<Op, T>) {
    for (int d = 1; d < count; d *= 2)
      for (int k = 0; k + d < count; k += 2 * d) v[k] = op(v[k], v[k + d]);
    return v[0];
  } else {
    T result = v[0];
    for (int k = 1; k < count; ++k) result = op(result, v[k]);
    return result;
  }
}
}  // namespace detail

template <class T, int Length, class Op>
inline T ThreadReduce(const T (&input)[Length], Op op) {
  detail::Values<T, Length> v;
  for (int k = 0; k < Length; ++k) v[k] = input[k];
  return detail::reduce_items(v.all(), Length, op);
}
template <class T, int Length, class Op, class Prefix>
inline T ThreadReduce(const T (&input)[Length], Op op, Prefix prefix) {
  detail::Values<T, Length + 1> v;
  v[0] = prefix;
  for (int k = 0; k < Length; ++k) v[k + 1] = input[k];
  return detail::reduce_items(v.all(), Length + 1, op);
}
template <int Length, class T, class Op>
inline T ThreadReduce(const T* input, Op op) {
  return ThreadReduce(*reinterpret_cast<const T(*)[Length]>(input), op);
}
template <int Length, class T, class Op, class Prefix>
inline T ThreadReduce(const T* input, Op op, Prefix prefix) {
  return ThreadReduce(*reinterpret_cast<const T(*)[Length]>(input), op, prefix);
}

}  // namespace cub
