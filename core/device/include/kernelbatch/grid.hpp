// Where a thread stands in its grid, loops over all threads, and shared memory by type. Included
// where a kernel's text uses it.
#pragma once

#ifndef KERNELBATCH_DYNAMIC_SHARED
#define KERNELBATCH_DYNAMIC_SHARED(T, name)                                \
  extern __shared__ __align__(16) unsigned char kernelbatch_shared_room[]; \
  T* const name = reinterpret_cast<T*>(kernelbatch_shared_room)
#endif

namespace kernelbatch {
namespace detail {

template <int Axes>
struct grid_place;
template <>
struct grid_place<1> {
  using type = int64;
};
template <>
struct grid_place<2> {
  struct type {
    int64 x, y;
  };
};
template <>
struct grid_place<3> {
  struct type {
    int64 x, y, z;
  };
};

/// first, first + step, … below last: what a range-based for walks.
struct stride_range {
  struct iterator {
    int64 at, step;
    KERNELBATCH_INLINE int64 operator*() const { return at; }
    KERNELBATCH_INLINE void operator++() { at += step; }
    KERNELBATCH_INLINE bool operator!=(const iterator& last) const {
      return last.step > 0 ? at < last.at : at > last.at;
    }
  };
  int64 first, last, stride, sign;
  KERNELBATCH_INLINE iterator begin() const { return {first, stride}; }
  KERNELBATCH_INLINE iterator end() const { return {last, sign}; }
};

}  // namespace detail

/// This thread's index along 1, 2 or 3 axes of the grid: `auto [x, y] = grid<2>();`.
template <int Axes>
KERNELBATCH_INLINE typename detail::grid_place<Axes>::type grid() {
  const int64 x = int64(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64 y = int64(blockIdx.y) * blockDim.y + threadIdx.y;
  const int64 z = int64(blockIdx.z) * blockDim.z + threadIdx.z;
  if constexpr (Axes == 1)
    return x;
  else if constexpr (Axes == 2)
    return {x, y};
  else
    return {x, y, z};
}

/// Threads of the grid along these axes.
template <int Axes>
KERNELBATCH_INLINE typename detail::grid_place<Axes>::type gridsize() {
  const int64 x = int64(gridDim.x) * blockDim.x;
  const int64 y = int64(gridDim.y) * blockDim.y;
  const int64 z = int64(gridDim.z) * blockDim.z;
  if constexpr (Axes == 1)
    return x;
  else if constexpr (Axes == 2)
    return {x, y};
  else
    return {x, y, z};
}

/// What of first, first + step, … below last (above, for a negative step) is this thread's, when
/// all threads of a one-dimensional grid share the work: `for (auto i : range(n))`.
KERNELBATCH_INLINE detail::stride_range range(int64 first, int64 last, int64 step = 1) {
  return {first + grid<1>() * step, last, gridsize<1>() * step, step};
}
KERNELBATCH_INLINE detail::stride_range range(int64 count) { return range(0, count); }

/// The same for the threads of one block.
KERNELBATCH_INLINE detail::stride_range block_range(int64 first, int64 last, int64 step = 1) {
  const int64 thread =
      threadIdx.x + int64(blockDim.x) * (threadIdx.y + int64(blockDim.y) * threadIdx.z);
  return {first + thread * step, last, int64(blockDim.x) * blockDim.y * blockDim.z * step, step};
}
KERNELBATCH_INLINE detail::stride_range block_range(int64 count) { return block_range(0, count); }

/// `Count` elements of the block's shared memory. Calls with the same T, Count and Tag give the
/// same memory.
template <class T, int Count, int Tag = 0>
KERNELBATCH_INLINE T* shared_array() {
  __shared__ __align__(16) unsigned char room[sizeof(T) * Count];
  return reinterpret_cast<T*>(room);
}

/// The block's dynamic shared memory, as large as the launch says.
template <class T>
KERNELBATCH_INLINE T* dynamic_shared() {
  KERNELBATCH_DYNAMIC_SHARED(T, memory);
  return memory;
}

}  // namespace kernelbatch
