// CUB's warp reductions on the host device: in the order of shuffles downwards.
#pragma once

#include "cub/thread/thread_reduce.cuh"

namespace cub {
namespace detail {
/// The part of a warp that a collective of `Threads` lanes works on.
template <int Threads>
struct LaneGroup {
  static_assert(Threads >= 1 && Threads <= 32, "a warp has at most 32 threads");
  static int first() { return int(lanes::lane()) / Threads * Threads; }
  static int rank() { return int(lanes::lane()) - first(); }
  static unsigned mask() { return lanes::ones(Threads) << first(); }
  /// Gathers the values of the group's lanes at the front of the row.
  template <class T>
  static void gather(const T& value, lanes::Row<T>& row) {
    lanes::gather(mask(), value, row);
    if (first() != 0)
      for (int k = 0; k < Threads && first() + k < 32; ++k) row[k] = row[first() + k];
  }
};
}  // namespace detail

template <class T, int LogicalWarpThreads = 32, int LegacyArch = 0>
class WarpReduce {
  using Group = detail::LaneGroup<LogicalWarpThreads>;

 public:
  using TempStorage = Uninitialized<NullType>;
  WarpReduce() = default;
  explicit WarpReduce(TempStorage&) {}

  template <class Op>
  T Reduce(T input, Op op) {
    return Reduce(input, op, LogicalWarpThreads);
  }
  template <class Op>
  T Reduce(T input, Op op, int valid_items) {
    kernelbatch::lanes::Row<T> row;
    Group::gather(input, row);
    const int count = valid_items < LogicalWarpThreads ? valid_items : LogicalWarpThreads;
    return count < 1 ? input : detail::reduce_row(&row[0], count, op);
  }
  T Sum(T input) { return Reduce(input, cuda::std::plus<>()); }
  T Sum(T input, int valid_items) { return Reduce(input, cuda::std::plus<>(), valid_items); }
  T Max(T input) { return Reduce(input, cuda::maximum<>()); }
  T Min(T input) { return Reduce(input, cuda::minimum<>()); }
  template <class Flag, class Op>
  T HeadSegmentedReduce(T input, Flag head, Op op) {
    return segmented<true>(input, head, op);
  }
  template <class Flag, class Op>
  T TailSegmentedReduce(T input, Flag tail, Op op) {
    return segmented<false>(input, tail, op);
  }
  template <class Flag>
  T HeadSegmentedSum(T input, Flag head) {
    return HeadSegmentedReduce(input, head, cuda::std::plus<>());
  }
  template <class Flag>
  T TailSegmentedSum(T input, Flag tail) {
    return TailSegmentedReduce(input, tail, cuda::std::plus<>());
  }

 private:
  /// From the caller to the last lane of its segment.
  template <bool IsHead, class Flag, class Op>
  T segmented(T input, Flag flag, Op op) {
    kernelbatch::lanes::Row<T> row;
    kernelbatch::lanes::Row<int> flags;
    Group::gather(input, row);
    Group::gather(flag ? 1 : 0, flags);
    const int rank = Group::rank();
    int end = rank + 1;
    while (end < LogicalWarpThreads && !flags[unsigned(IsHead ? end : end - 1)]) ++end;
    return detail::reduce_row(&row[unsigned(rank)], end - rank, op);
  }
};

}  // namespace cub
