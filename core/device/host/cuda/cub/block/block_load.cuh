// CUB's loads of a block's items on the host device.
#pragma once

#include "cub/thread/thread_load.cuh"
#include "cub/util_ptx.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

namespace detail {
/// Item k of a thread: next to each other, or a stride apart.
inline int place_of(int thread, int k, int items, int stride) {
  return stride == 0 ? thread * items + k : thread + k * stride;
}
template <class I, class T, int Items>
inline void load(int thread, I from, T (&to)[Items], int valid, int stride) {
  for (int k = 0; k < Items; ++k) {
    const int at = place_of(thread, k, Items, stride);
    if (at < valid) to[k] = from[at];
  }
}
template <class I, class T, int Items>
inline void store(int thread, I to, T (&from)[Items], int valid, int stride) {
  for (int k = 0; k < Items; ++k) {
    const int at = place_of(thread, k, Items, stride);
    if (at < valid) to[at] = from[k];
  }
}
inline constexpr int kAll = 0x7fffffff;
inline int in_warp(int thread, int items) { return (thread & 31) + (thread & ~31) * items; }
}  // namespace detail

template <class T, int Items, class I>
inline void LoadDirectBlocked(int thread, I from, T (&to)[Items], int valid = detail::kAll) {
  detail::load(thread, from, to, valid, 0);
}
template <class T, class Default, int Items, class I>
inline void LoadDirectBlocked(int thread, I from, T (&to)[Items], int valid, Default rest) {
  for (T& item : to) item = rest;
  detail::load(thread, from, to, valid, 0);
}
template <class T, int Items>
inline void LoadDirectBlockedVectorized(int thread, T* from, T (&to)[Items]) {
  detail::load(thread, from, to, detail::kAll, 0);
}
template <int BlockThreads, class T, int Items, class I>
inline void LoadDirectStriped(int thread, I from, T (&to)[Items], int valid = detail::kAll) {
  detail::load(thread, from, to, valid, BlockThreads);
}
template <int BlockThreads, class T, class Default, int Items, class I>
inline void LoadDirectStriped(int thread, I from, T (&to)[Items], int valid, Default rest) {
  for (T& item : to) item = rest;
  detail::load(thread, from, to, valid, BlockThreads);
}
template <class T, int Items, class I>
inline void LoadDirectWarpStriped(int thread, I from, T (&to)[Items], int valid = detail::kAll) {
  detail::load(detail::in_warp(thread, Items), from, to, valid, 32);
}
template <class T, class Default, int Items, class I>
inline void LoadDirectWarpStriped(int thread, I from, T (&to)[Items], int valid, Default rest) {
  for (T& item : to) item = rest;
  detail::load(detail::in_warp(thread, Items), from, to, valid, 32);
}

template <class T, int BlockDimX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT,
          int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockLoad {
  static constexpr int kStride =
      Algorithm == BLOCK_LOAD_STRIPED ? BlockDimX * BlockDimY * BlockDimZ : 0;

 public:
  using TempStorage = Uninitialized<NullType>;
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}
  template <class I>
  void Load(I from, T (&to)[Items]) {
    detail::load(detail::thread(), from, to, detail::kAll, kStride);
  }
  template <class I>
  void Load(I from, T (&to)[Items], int valid_items) {
    detail::load(detail::thread(), from, to, valid_items, kStride);
  }
  template <class I, class Default>
  void Load(I from, T (&to)[Items], int valid_items, Default rest) {
    for (T& item : to) item = rest;
    detail::load(detail::thread(), from, to, valid_items, kStride);
  }
};

}  // namespace cub
