// CUB's exchanges of items between a block's threads on the host device.
#pragma once

#include "cub/block/block_load.cuh"

namespace cub {

template <class T, int BlockDimX, int Items, bool WarpTimeSlicing = false, int BlockDimY = 1,
          int BlockDimZ = 1, int LegacyArch = 0>
class BlockExchange {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  using Room = detail::Values<T, kThreads * Items>;

 public:
  using TempStorage = Uninitialized<Room>;
  BlockExchange() : room_(detail::own_storage<Room>()) {}
  explicit BlockExchange(TempStorage& storage) : room_(storage.Alias()) {}

  template <class U>
  void StripedToBlocked(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, striped, blocked);
  }
  template <class U>
  void BlockedToStriped(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, blocked, striped);
  }
  template <class U>
  void WarpStripedToBlocked(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, warp_striped, blocked);
  }
  template <class U>
  void BlockedToWarpStriped(const T (&in)[Items], U (&out)[Items]) {
    move(in, out, blocked, warp_striped);
  }
  template <class U, class Offset>
  void ScatterToBlocked(const T (&in)[Items], U (&out)[Items], Offset (&ranks)[Items]) {
    move(
        in, out, [&](int k) { return int(ranks[k]); }, blocked);
  }
  template <class U, class Offset>
  void ScatterToStriped(const T (&in)[Items], U (&out)[Items], Offset (&ranks)[Items]) {
    move(
        in, out, [&](int k) { return int(ranks[k]); }, striped);
  }
  /// Negative ranks go nowhere.
  template <class U, class Offset>
  void ScatterToStripedGuarded(const T (&in)[Items], U (&out)[Items], Offset (&ranks)[Items]) {
    move(
        in, out, [&](int k) { return int(ranks[k]); }, striped);
  }
  template <class U, class Offset, class Flag>
  void ScatterToStripedFlagged(const T (&in)[Items], U (&out)[Items], Offset (&ranks)[Items],
                               Flag (&is_valid)[Items]) {
    move(
        in, out, [&](int k) { return is_valid[k] ? int(ranks[k]) : -1; }, striped);
  }
  void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
  void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
  void WarpStripedToBlocked(T (&items)[Items]) { WarpStripedToBlocked(items, items); }
  void BlockedToWarpStriped(T (&items)[Items]) { BlockedToWarpStriped(items, items); }
  template <class Offset>
  void ScatterToBlocked(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToBlocked(items, items, ranks);
  }
  template <class Offset>
  void ScatterToStriped(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStriped(items, items, ranks);
  }
  template <class Offset>
  void ScatterToStripedGuarded(T (&items)[Items], Offset (&ranks)[Items]) {
    ScatterToStripedGuarded(items, items, ranks);
  }
  template <class Offset, class Flag>
  void ScatterToStripedFlagged(T (&items)[Items], Offset (&ranks)[Items], Flag (&is_valid)[Items]) {
    ScatterToStripedFlagged(items, items, ranks, is_valid);
  }

 private:
  static int blocked(int k) { return detail::thread() * Items + k; }
  static int striped(int k) { return detail::thread() + k * kThreads; }
  static int warp_striped(int k) {
    const int first = detail::thread() / 32 * 32;
    const int width = kThreads - first < 32 ? kThreads - first : 32;
    return first * Items + (detail::thread() - first) + k * width;
  }
  template <class U, class To, class From>
  void move(const T (&in)[Items], U (&out)[Items], To to, From from) {
    for (int k = 0; k < Items; ++k)
      if (to(k) >= 0) room_[to(k)] = in[k];
    __syncthreads();
    for (int k = 0; k < Items; ++k) out[k] = room_[from(k)];
  }
  Room& room_;
};

}  // namespace cub
