// CUB's questions about threads, and its shuffles, on the host device.
#pragma once

#include "cub/util_type.cuh"
#include "kernelbatch/lanes.hpp"

namespace cub {

inline unsigned LaneId() { return kernelbatch::lanes::lane(); }
inline unsigned WarpId() { return kernelbatch::lanes::thread() / 32; }
inline int RowMajorTid(int, int, int) { return int(kernelbatch::lanes::thread()); }
inline unsigned LaneMaskLt() { return (1u << LaneId()) - 1u; }
inline unsigned LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
inline unsigned LaneMaskGt() { return ~LaneMaskLe(); }
inline unsigned LaneMaskGe() { return ~LaneMaskLt(); }
inline void CTA_SYNC() { __syncthreads(); }
inline int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
inline int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
inline int WARP_ANY(int p, unsigned mask) { return __any_sync(mask, p); }
inline int WARP_ALL(int p, unsigned mask) { return __all_sync(mask, p); }
inline int WARP_BALLOT(int p, unsigned mask) { return int(__ballot_sync(mask, p)); }
template <class T>
inline T IADD3(T x, T y, T z) {
  return x + y + z;
}
template <class T>
inline unsigned BFE(T source, unsigned from, unsigned count) {
  return unsigned((source >> from) & ((T(1) << count) - 1));
}
inline void BFI(unsigned& result, unsigned x, unsigned y, unsigned from, unsigned count) {
  const unsigned mask = ((1u << count) - 1u) << from;
  result = (x & ~mask) | ((y << from) & mask);
}
template <int LogicalWarpThreads, int = 0>
inline unsigned WarpMask(unsigned warp) {
  return LogicalWarpThreads == 32
             ? 0xffffffffu
             : ((1u << (LogicalWarpThreads & 31)) - 1u) << (warp * LogicalWarpThreads);
}
/// The lanes that hold the caller's label of `LabelBits` bits.
template <int LabelBits>
inline unsigned MatchAny(unsigned label) {
  return __match_any_sync(__activemask(), label & ((1u << LabelBits) - 1u));
}

template <int LogicalWarpThreads, class T>
inline T ShuffleUp(T input, int distance, int first, unsigned mask) {
  kernelbatch::lanes::Row<T> row;
  kernelbatch::lanes::gather(mask, input, row);
  const int lane = int(LaneId()), base = lane / LogicalWarpThreads * LogicalWarpThreads;
  const int from = lane - distance;
  return from < base + first ? input : row[unsigned(from)];
}
template <int LogicalWarpThreads, class T>
inline T ShuffleDown(T input, int distance, int last, unsigned mask) {
  kernelbatch::lanes::Row<T> row;
  kernelbatch::lanes::gather(mask, input, row);
  const int lane = int(LaneId()), base = lane / LogicalWarpThreads * LogicalWarpThreads;
  const int from = lane + distance;
  return from > base + last ? input : row[unsigned(from)];
}
template <int LogicalWarpThreads, class T>
inline T ShuffleIndex(T input, int source, unsigned mask) {
  kernelbatch::lanes::Row<T> row;
  kernelbatch::lanes::gather(mask, input, row);
  const int base = int(LaneId()) / LogicalWarpThreads * LogicalWarpThreads;
  return row[unsigned(base + source % LogicalWarpThreads)];
}

namespace detail {
namespace lanes = kernelbatch::lanes;

/// Storage that a collective owns where the caller gives none.
template <class Storage>
inline Storage& own_storage() {
  __shared__ Uninitialized<Storage> storage;
  return storage.Alias();
}
/// Values in shared memory, of any type.
template <class T, int Count>
struct Values {
  __attribute__((__aligned__(__alignof__(T)))) unsigned char room[Count * sizeof(T)];
  T* all() { return reinterpret_cast<T*>(room); }
  T& operator[](int k) { return all()[k]; }
};
inline int thread() { return int(lanes::thread()); }

/// Inclusive scan of neighbouring values by doubling distances, as shuffles do it.
template <class T, class Op>
inline void scan_row(T* v, int count, Op op) {
  for (int d = 1; d < count; d *= 2)
    for (int k = count - 1; k >= d; --k) v[k] = op(v[k - d], v[k]);
}
/// Tree of shuffles downwards; the result is the first.
template <class T, class Op>
inline T reduce_row(T* v, int count, Op op) {
  for (int d = 1; d < count; d *= 2)
    for (int k = 0; k + d < count; ++k) v[k] = op(v[k], v[k + d]);
  return v[0];
}
}  // namespace detail
}  // namespace cub
