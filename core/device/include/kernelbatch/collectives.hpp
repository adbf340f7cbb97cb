// Shuffles, reductions and scans of warps and blocks, for values of any trivially copyable type and
// any associative operator; elements are combined in the order of the threads, so operators need
// not commute. Included where a kernel's text uses it.
#pragma once

namespace kernelbatch {
namespace detail {

/// Applies `exchange` to a value word by word.
template <class T, class Exchange>
KERNELBATCH_INLINE T by_words(const T& value, Exchange exchange) {
  unsigned word[(sizeof(T) + 3) / 4] = {};
  memcpy(word, &value, sizeof(T));
  KERNELBATCH_UNROLL
  for (unsigned k = 0; k < (sizeof(T) + 3) / 4; ++k) word[k] = exchange(word[k]);
  T result = value;
  memcpy(&result, word, sizeof(T));
  return result;
}

KERNELBATCH_INLINE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
KERNELBATCH_INLINE unsigned block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// A thread's place among `Width` neighbours of its warp; the last ones of a block may be fewer.
struct tile_place {
  int rank, size;
  unsigned mask;
};
template <int Width>
KERNELBATCH_INLINE tile_place tile_of() {
  const unsigned thread = block_rank();
  const unsigned first = thread & ~unsigned(Width - 1);
  const unsigned left = block_threads() - first;
  const unsigned size = left < unsigned(Width) ? left : unsigned(Width);
  const unsigned ones = size >= 32 ? 0xffffffffu : (1u << size) - 1u;
  return {int(thread - first), int(size), ones << (first & 31u)};
}

}  // namespace detail

/// The value of another lane: of lane `source`, of the lane `distance` further down, or of the lane
/// whose number differs by the bits of `lanes`. `width` is a power of two up to 32.
template <class T>
KERNELBATCH_INLINE T shuffle(unsigned mask, const T& value, int source, int width = 32) {
  return detail::by_words(value, [=](unsigned w) { return __shfl_sync(mask, w, source, width); });
}
template <class T>
KERNELBATCH_INLINE T shuffle_up(unsigned mask, const T& value, int distance, int width = 32) {
  return detail::by_words(
      value, [=](unsigned w) { return __shfl_up_sync(mask, w, unsigned(distance), width); });
}
template <class T>
KERNELBATCH_INLINE T shuffle_xor(unsigned mask, const T& value, int lanes, int width = 32) {
  return detail::by_words(value,
                          [=](unsigned w) { return __shfl_xor_sync(mask, w, lanes, width); });
}

/// Operators for all of the following; any function of two values will do.
struct plus {
  template <class T>
  KERNELBATCH_INLINE T operator()(const T& a, const T& b) const {
    return T(a + b);
  }
};
struct times {
  template <class T>
  KERNELBATCH_INLINE T operator()(const T& a, const T& b) const {
    return T(a * b);
  }
};
struct minimum {
  template <class T>
  KERNELBATCH_INLINE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct maximum {
  template <class T>
  KERNELBATCH_INLINE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

/// Combines the values of `Width` neighbouring lanes; all of them get the result. Every thread of
/// the warp must call.
template <int Width = 32, class T, class Operator>
KERNELBATCH_INLINE T warp_reduce(T value, Operator combine) {
  const detail::tile_place at = detail::tile_of<Width>();
  KERNELBATCH_UNROLL
  for (int d = 1; d < Width; d *= 2) {
    const T other = shuffle_down(at.mask, value, d, Width);
    if (at.rank + d < at.size) value = combine(value, other);
  }
  return shuffle(at.mask, value, 0, Width);
}

/// Lane k gets the combination of lanes 0…k.
template <int Width = 32, class T, class Operator>
KERNELBATCH_INLINE T warp_inclusive_scan(T value, Operator combine) {
  const detail::tile_place at = detail::tile_of<Width>();
  KERNELBATCH_UNROLL
  for (int d = 1; d < Width; d *= 2) {
    const T other = shuffle_up(at.mask, value, d, Width);
    if (at.rank >= d) value = combine(other, value);
  }
  return value;
}

/// Lane k gets the combination of `initial` and lanes 0…k−1.
template <int Width = 32, class T, class Operator>
KERNELBATCH_INLINE T warp_exclusive_scan(T value, Operator combine, T initial) {
  const detail::tile_place at = detail::tile_of<Width>();
  const T before = shuffle_up(at.mask, warp_inclusive_scan<Width>(value, combine), 1, Width);
  return at.rank == 0 ? initial : combine(initial, before);
}

namespace detail {

/// Combination of the warps' totals before `warps`; every thread of the block calls, `warps` > 0.
template <class T, class Operator>
KERNELBATCH_INLINE T join_warps(const T* total, unsigned warps, Operator combine) {
  T value = total[0];
  for (unsigned w = 1; w < warps; ++w) value = combine(value, total[w]);
  return value;
}

template <class T>
KERNELBATCH_INLINE T* warp_totals() {
  __shared__ __align__(16) unsigned char room[32 * sizeof(T)];
  return reinterpret_cast<T*>(room);
}

}  // namespace detail

/// Combines the values of all threads of the block, of any shape; all of them get the result. Every
/// thread of the block must call.
template <class T, class Operator>
KERNELBATCH_INLINE T block_reduce(T value, Operator combine) {
  value = warp_reduce(value, combine);
  const unsigned warps = (detail::block_threads() + 31) / 32;
  if (warps == 1) return value;
  T* const total = detail::warp_totals<T>();
  if (detail::block_rank() % 32 == 0) total[detail::block_rank() / 32] = value;
  __syncthreads();
  value = detail::join_warps(total, warps, combine);
  __syncthreads();
  return value;
}

/// Thread k (x fastest) gets the combination of threads 0…k.
template <class T, class Operator>
KERNELBATCH_INLINE T block_inclusive_scan(T value, Operator combine) {
  value = warp_inclusive_scan(value, combine);
  if (detail::block_threads() <= 32) return value;
  T* const total = detail::warp_totals<T>();
  const unsigned thread = detail::block_rank();
  const detail::tile_place at = detail::tile_of<32>();
  if (at.rank == at.size - 1) total[thread / 32] = value;
  __syncthreads();
  if (thread >= 32) value = combine(detail::join_warps(total, thread / 32, combine), value);
  __syncthreads();
  return value;
}

/// Thread k gets the combination of `initial` and threads 0…k−1.
template <class T, class Operator>
KERNELBATCH_INLINE T block_exclusive_scan(T value, Operator combine, T initial) {
  const T inclusive = warp_inclusive_scan(value, combine);
  const detail::tile_place at = detail::tile_of<32>();
  const T before = shuffle_up(at.mask, inclusive, 1);
  const unsigned thread = detail::block_rank();
  T* const total = detail::warp_totals<T>();
  if (at.rank == at.size - 1) total[thread / 32] = inclusive;
  __syncthreads();
  T result = initial;
  if (thread >= 32) result = combine(result, detail::join_warps(total, thread / 32, combine));
  if (at.rank > 0) result = combine(result, before);
  __syncthreads();
  return result;
}

}  // namespace kernelbatch
