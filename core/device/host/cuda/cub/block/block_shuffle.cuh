// CUB's shifts of a block's items on the host device.
#pragma once

#include "kernelbatch/neighbours.hpp"

namespace cub {

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockShuffle {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  using Room = detail::Values<T, kThreads>;

 public:
  using TempStorage = Uninitialized<Room>;
  BlockShuffle() : room_(detail::own_storage<Room>()) {}
  explicit BlockShuffle(TempStorage& storage) : room_(storage.Alias()) {}

  /// Threads whose source does not exist keep their output.
  void Offset(T input, T& output, int distance = 1) {
    share(input);
    const int from = detail::thread() + distance;
    if (from >= 0 && from < kThreads) output = room_[from];
  }
  void Rotate(T input, T& output, unsigned distance = 1) {
    share(input);
    output = room_[int((unsigned(detail::thread()) + distance) % kThreads)];
  }
  template <int Items>
  void Up(T (&input)[Items], T (&before)[Items]) {
    share(input[Items - 1]);
    for (int k = Items - 1; k > 0; --k) before[k] = input[k - 1];
    if (detail::thread() > 0) before[0] = room_[detail::thread() - 1];
  }
  template <int Items>
  void Up(T (&input)[Items], T (&before)[Items], T& block_suffix) {
    Up(input, before);
    block_suffix = room_[kThreads - 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&after)[Items]) {
    share(input[0]);
    for (int k = 0; k < Items - 1; ++k) after[k] = input[k + 1];
    if (detail::thread() < kThreads - 1) after[Items - 1] = room_[detail::thread() + 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&after)[Items], T& block_prefix) {
    Down(input, after);
    block_prefix = room_[0];
  }

 private:
  void share(const T& input) {
    room_[detail::thread()] = input;
    __syncthreads();
  }
  Room& room_;
};

}  // namespace cub
