// CUB's exchanges of items between a warp's threads on the host device.
#pragma once

#include "cub/warp/warp_reduce.cuh"

namespace cub {

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int Items, int LogicalWarpThreads = 32,
          WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
  using Group = detail::LaneGroup<LogicalWarpThreads>;
  using Room = detail::Values<T, LogicalWarpThreads * Items>;

 public:
  using TempStorage = Uninitialized<Room>;
  explicit WarpExchange(TempStorage& storage) : room_(storage.Alias()) {}

  template <class U>
  void BlockedToStriped(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, blocked, striped);
  }
  template <class U>
  void StripedToBlocked(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, striped, blocked);
  }
  template <class U, class Offset>
  void ScatterToStriped(const T (&in)[Items], U (&out)[Items], Offset (&ranks)[Items]) {
    move(
        in, out, [&](int k) { return int(ranks[k]); }, striped);
  }
  template <class Offset>
  void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  static int blocked(int k) { return Group::rank() * Items + k; }
  static int striped(int k) { return Group::rank() + k * LogicalWarpThreads; }
  template <class U, class To, class From>
  void move(const T (&in)[Items], U (&out)[Items], To to, From from) {
    __syncwarp(Group::mask());  // those that still read an earlier exchange's items
    for (int k = 0; k < Items; ++k) room_[to(k)] = in[k];
    __syncwarp(Group::mask());
    for (int k = 0; k < Items; ++k) out[k] = room_[from(k)];
  }
  Room& room_;
};

}  // namespace cub
