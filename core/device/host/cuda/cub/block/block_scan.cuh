// CUB's block scans on the host device, each algorithm in the order of a GPU.
#pragma once

#include "cub/thread/thread_scan.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace detail {

template <class T, int Threads>
struct ScanRoom {
  Values<T, Threads> value, before;
  Values<T, 2> shared;  ///< the block's total and the caller's prefix
};

/// From all values: each thread's combination of those before it (not thread 0's, without a
/// prefix), and of those up to it. `make_prefix` gets the total.
template <bool IsByWarp, int Threads, class T, class Op>
inline void scan_block(ScanRoom<T, Threads>& room, Op op, const T* prefix) {
  constexpr int kSegment = IsByWarp || Threads <= 32 ? 32 : (Threads + 31) / 32;
  constexpr int kSegments = (Threads + kSegment - 1) / kSegment;
  T* const v = room.value.all();
  T* const before = room.before.all();
  if constexpr (IsByWarp || Threads <= 32) {
    Values<T, 32> warp;
    Values<T, 1> sum;
    for (int w = 0; w < kSegments; ++w) {
      const int first = w * 32, count = Threads - first < 32 ? Threads - first : 32;
      for (int k = 0; k < count; ++k) warp[k] = v[first + k];
      scan_row(warp.all(), count, op);
      const bool has = w > 0 || prefix != nullptr;
      Values<T, 1> base;
      if (has) base[0] = w == 0 ? *prefix : prefix != nullptr ? op(*prefix, sum[0]) : sum[0];
      sum[0] = w == 0 ? warp[count - 1] : op(sum[0], warp[count - 1]);
      for (int k = 0; k < count; ++k) {
        if (k > 0) before[first + k] = has ? op(base[0], warp[k - 1]) : warp[k - 1];
        if (k == 0 && has) before[first] = base[0];
        v[first + k] = has ? op(base[0], warp[k]) : warp[k];
      }
    }
  } else {
    Values<T, kSegments> sums;
    for (int s = 0; s < kSegments; ++s) {
      T sum = v[s * kSegment];
      for (int k = s * kSegment + 1; k < (s + 1) * kSegment && k < Threads; ++k)
        sum = op(sum, v[k]);
      sums[s] = sum;
    }
    scan_row(sums.all(), kSegments, op);
    for (int s = 0; s < kSegments; ++s) {
      const bool has = s > 0 || prefix != nullptr;
      Values<T, 1> running;
      if (s > 0) running[0] = prefix != nullptr ? op(*prefix, sums[s - 1]) : sums[s - 1];
      if (s == 0 && has) running[0] = *prefix;
      for (int k = s * kSegment; k < (s + 1) * kSegment && k < Threads; ++k) {
        const bool starts = has || k > s * kSegment;
        if (starts) before[k] = running[0];
        v[k] = starts ? op(running[0], v[k]) : v[k];
        running[0] = v[k];
      }
    }
  }
}

/// The total of a block without a prefix, in the order of the scan.
template <bool IsByWarp, int Threads, class T, class Op>
inline T scan_total(Values<T, Threads>& value, Op op) {
  constexpr int kSegment = IsByWarp || Threads <= 32 ? 32 : (Threads + 31) / 32;
  constexpr int kSegments = (Threads + kSegment - 1) / kSegment;
  Values<T, (kSegments > kSegment ? kSegments : kSegment)> row;
  if constexpr (IsByWarp || Threads <= 32) {
    Values<T, 1> sum;
    for (int first = 0; first < Threads; first += 32) {
      const int count = Threads - first < 32 ? Threads - first : 32;
      for (int k = 0; k < count; ++k) row[k] = value[first + k];
      scan_row(row.all(), count, op);
      sum[0] = first == 0 ? row[count - 1] : op(sum[0], row[count - 1]);
    }
    return sum[0];
  } else {
    for (int s = 0; s < kSegments; ++s) {
      T sum = value[s * kSegment];
      for (int k = s * kSegment + 1; k < (s + 1) * kSegment && k < Threads; ++k)
        sum = op(sum, value[k]);
      row[s] = sum;
    }
    scan_row(row.all(), kSegments, op);
    return row[kSegments - 1];
  }
}

}  // namespace detail

template <class T, int BlockDimX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING,
          int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockScan {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  // Warp scans want whole warps.
  static constexpr bool kByWarp = Algorithm == BLOCK_SCAN_WARP_SCANS && kThreads % 32 == 0;
  using Room = detail::ScanRoom<T, kThreads>;
  using Plus = cuda::std::plus<>;
  template <class F>
  static constexpr bool is_callback = requires(F& f, T t) {
    f(t);
  };

 public:
  using TempStorage = Uninitialized<Room>;
  BlockScan() : room_(detail::own_storage<Room>()) {}
  explicit BlockScan(TempStorage& storage) : room_(storage.Alias()) {}

  // One item per thread.
  void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, Plus()); }
  void ExclusiveSum(T in, T& out, T& aggregate) { ExclusiveScan(in, out, T{}, Plus(), aggregate); }
  template <class F>
  requires(is_callback<F>) void ExclusiveSum(T in, T& out, F& callback) {
    ExclusiveScan(in, out, Plus(), callback);
  }
  void InclusiveSum(T in, T& out) { InclusiveScan(in, out, Plus()); }
  void InclusiveSum(T in, T& out, T& aggregate) { InclusiveScan(in, out, Plus(), aggregate); }
  template <class F>
  requires(is_callback<F>) void InclusiveSum(T in, T& out, F& callback) {
    InclusiveScan(in, out, Plus(), callback);
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, Op op) {
    run(in, op, nullptr);
    if (detail::thread() > 0) out = room_.before[detail::thread()];
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, Op op, T& aggregate) {
    aggregate = run(in, op, nullptr);
    if (detail::thread() > 0) out = room_.before[detail::thread()];
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T initial, Op op) {
    run(in, op, &initial);
    out = room_.before[detail::thread()];
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, T& aggregate) {
    aggregate = run(in, op, &initial);
    out = room_.before[detail::thread()];
  }
  template <class Op, class F>
  requires(is_callback<F>) void ExclusiveScan(T in, T& out, Op op, F& callback) {
    run_with(in, op, callback);
    out = room_.before[detail::thread()];
  }
  template <class Op>
  void InclusiveScan(T in, T& out, Op op) {
    run(in, op, nullptr);
    out = room_.value[detail::thread()];
  }
  template <class Op>
  void InclusiveScan(T in, T& out, Op op, T& aggregate) {
    aggregate = run(in, op, nullptr);
    out = room_.value[detail::thread()];
  }
  template <class Op, class F>
  requires(is_callback<F>) void InclusiveScan(T in, T& out, Op op, F& callback) {
    run_with(in, op, callback);
    out = room_.value[detail::thread()];
  }

  // Several items per thread.
  template <int Items>
  void ExclusiveSum(T (&in)[Items], T (&out)[Items]) {
    ExclusiveScan(in, out, T{}, Plus());
  }
  template <int Items>
  void ExclusiveSum(T (&in)[Items], T (&out)[Items], T& aggregate) {
    ExclusiveScan(in, out, T{}, Plus(), aggregate);
  }
  template <int Items, class F>
  requires(is_callback<F>) void ExclusiveSum(T (&in)[Items], T (&out)[Items], F& callback) {
    ExclusiveScan(in, out, Plus(), callback);
  }
  template <int Items>
  void InclusiveSum(T (&in)[Items], T (&out)[Items]) {
    InclusiveScan(in, out, Plus());
  }
  template <int Items>
  void InclusiveSum(T (&in)[Items], T (&out)[Items], T& aggregate) {
    InclusiveScan(in, out, Plus(), aggregate);
  }
  template <int Items, class F>
  requires(is_callback<F>) void InclusiveSum(T (&in)[Items], T (&out)[Items], F& callback) {
    InclusiveScan(in, out, Plus(), callback);
  }
  template <int Items, class Op>
  void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op) {
    run(ThreadReduce(in, op), op, nullptr);
    exclusive(in, out, op, detail::thread() > 0);
  }
  template <int Items, class Op>
  void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op, T& aggregate) {
    aggregate = run(ThreadReduce(in, op), op, nullptr);
    exclusive(in, out, op, detail::thread() > 0);
  }
  template <int Items, class Op>
  void ExclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Op op) {
    run(ThreadReduce(in, op), op, &initial);
    exclusive(in, out, op, true);
  }
  template <int Items, class Op>
  void ExclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Op op, T& aggregate) {
    aggregate = run(ThreadReduce(in, op), op, &initial);
    exclusive(in, out, op, true);
  }
  template <int Items, class Op, class F>
  requires(is_callback<F>) void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op, F& callback) {
    run_with(ThreadReduce(in, op), op, callback);
    exclusive(in, out, op, true);
  }
  template <int Items, class Op>
  void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op) {
    run(ThreadReduce(in, op), op, nullptr);
    inclusive(in, out, op, detail::thread() > 0);
  }
  template <int Items, class Op>
  void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op, T& aggregate) {
    aggregate = run(ThreadReduce(in, op), op, nullptr);
    inclusive(in, out, op, detail::thread() > 0);
  }
  template <int Items, class Op>
  void InclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Op op) {
    run(ThreadReduce(in, op), op, &initial);
    inclusive(in, out, op, true);
  }
  template <int Items, class Op>
  void InclusiveScan(T (&in)[Items], T (&out)[Items], T initial, Op op, T& aggregate) {
    aggregate = run(ThreadReduce(in, op), op, &initial);
    inclusive(in, out, op, true);
  }
  template <int Items, class Op, class F>
  requires(is_callback<F>) void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op, F& callback) {
    run_with(ThreadReduce(in, op), op, callback);
    inclusive(in, out, op, true);
  }

 private:
  /// Thread 0 scans for all; gives the total without the prefix.
  template <class Op>
  T run(T in, Op op, const T* prefix) {
    room_.value[detail::thread()] = in;
    __syncthreads();
    if (detail::thread() == 0) {
      room_.shared[0] = detail::scan_total<kByWarp, kThreads, T>(room_.value, op);
      detail::scan_block<kByWarp, kThreads>(room_, op, prefix);
    }
    __syncthreads();
    return room_.shared[0];
  }
  /// The first warp calls back with the total; its first thread's answer is the prefix.
  template <class Op, class F>
  void run_with(T in, Op op, F& callback) {
    room_.value[detail::thread()] = in;
    __syncthreads();
    if (detail::thread() == 0)
      room_.shared[0] = detail::scan_total<kByWarp, kThreads, T>(room_.value, op);
    __syncthreads();
    if (detail::thread() < 32) {
      const T prefix = callback(T(room_.shared[0]));
      if (detail::thread() == 0) {
        room_.shared[1] = prefix;
        detail::scan_block<kByWarp, kThreads>(room_, op, &prefix);
      }
    }
    __syncthreads();
  }
  template <int Items, class Op>
  void exclusive(T (&in)[Items], T (&out)[Items], Op op, bool has_prefix) {
    T first = out[0];
    if (has_prefix) first = room_.before[detail::thread()];
    T sum = has_prefix ? op(first, in[0]) : in[0];
    out[0] = first;
    for (int k = 1; k < Items; ++k) {
      const T next = op(sum, in[k]);
      out[k] = sum;
      sum = next;
    }
  }
  template <int Items, class Op>
  void inclusive(T (&in)[Items], T (&out)[Items], Op op, bool has_prefix) {
    T sum = has_prefix ? op(room_.before[detail::thread()], in[0]) : in[0];
    out[0] = sum;
    for (int k = 1; k < Items; ++k) out[k] = sum = op(sum, in[k]);
  }
  Room& room_;
};

}  // namespace cub
