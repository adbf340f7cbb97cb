// CUB's block reductions on the host device, each algorithm in the order of a GPU.
#pragma once

#include "cub/thread/thread_reduce.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};

namespace detail {

template <BlockReduceAlgorithm Algorithm, int Threads, class T, class Op>
inline T reduce_block(T* v, int valid, Op op) {
  if constexpr (Algorithm == BLOCK_REDUCE_WARP_REDUCTIONS || Threads <= 32) {
    T result = reduce_row(v, valid < 32 ? valid : 32, op);
    for (int first = 32; first < valid; first += 32)
      result = op(result, reduce_row(v + first, valid - first < 32 ? valid - first : 32, op));
    return result;
  } else if constexpr (Algorithm == BLOCK_REDUCE_RAKING || Threads % 32 != 0) {
    constexpr int kSegment = (Threads + 31) / 32;
    int raking = 0;
    for (int first = 0; first < valid; first += kSegment, ++raking) {
      T sum = v[first];
      for (int k = first + 1; k < first + kSegment && k < valid; ++k) sum = op(sum, v[k]);
      v[raking] = sum;
    }
    return reduce_row(v, raking, op);
  } else {
    constexpr int kSegment = Threads / 32 - 1;
    if (valid < Threads) return reduce_block<BLOCK_REDUCE_RAKING, Threads>(v, valid, op);
    for (int lane = 0; lane < 32; ++lane) {
      Values<T, kSegment + 1> items;
      items[0] = v[lane];
      for (int k = 0; k < kSegment; ++k) items[k + 1] = v[32 + lane * kSegment + k];
      v[lane] = reduce_items(items.all(), kSegment + 1, op);
    }
    return reduce_row(v, 32, op);
  }
}

}  // namespace detail

template <class T, int BlockDimX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockReduce {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  using Room = detail::Values<T, kThreads>;

 public:
  using TempStorage = Uninitialized<Room>;
  BlockReduce() : room_(detail::own_storage<Room>()) {}
  explicit BlockReduce(TempStorage& storage) : room_(storage.Alias()) {}

  /// The result is thread 0's; the others get their own value.
  template <class Op>
  T Reduce(T input, Op op) {
    return Reduce(input, op, kThreads);
  }
  template <class Op>
  T Reduce(T input, Op op, int valid_items) {
    const int thread = detail::thread();
    room_[thread] = input;
    __syncthreads();
    if (thread != 0) return input;
    return detail::reduce_block<Algorithm, kThreads>(
        room_.all(), valid_items < kThreads ? valid_items : kThreads, op);
  }
  template <int Items, class Op>
  T Reduce(T (&inputs)[Items], Op op) {
    return Reduce(ThreadReduce(inputs, op), op);
  }
  T Sum(T input) { return Reduce(input, cuda::std::plus<>()); }
  T Sum(T input, int valid_items) { return Reduce(input, cuda::std::plus<>(), valid_items); }
  template <int Items>
  T Sum(T (&inputs)[Items]) {
    return Reduce(inputs, cuda::std::plus<>());
  }

 private:
  Room& room_;
};

}  // namespace cub
