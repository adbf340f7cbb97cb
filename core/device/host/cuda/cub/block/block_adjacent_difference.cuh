// CUB's differences of a block's neighbouring items on the host device.
#pragma once

#include "kernelbatch/neighbours.hpp"

namespace cub {

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockAdjacentDifference {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  using Edges = detail::Edges<T, kThreads>;
  using Room = typename Edges::Room;

 public:
  using TempStorage = Uninitialized<Room>;
  BlockAdjacentDifference() : edges_{detail::own_storage<Room>()} {}
  explicit BlockAdjacentDifference(TempStorage& storage) : edges_{storage.Alias()} {}

  template <int Items, class U, class Op>
  void SubtractLeft(T (&in)[Items], U (&out)[Items], Op op) {
    left(in, out, op, kThreads * Items, nullptr);
  }
  template <int Items, class U, class Op>
  void SubtractLeft(T (&in)[Items], U (&out)[Items], Op op, T before) {
    left(in, out, op, kThreads * Items, &before);
  }
  template <int Items, class U, class Op>
  void SubtractLeftPartialTile(T (&in)[Items], U (&out)[Items], Op op, int valid_items) {
    left(in, out, op, valid_items, nullptr);
  }
  template <int Items, class U, class Op>
  void SubtractLeftPartialTile(T (&in)[Items], U (&out)[Items], Op op, int valid_items, T before) {
    left(in, out, op, valid_items, &before);
  }
  template <int Items, class U, class Op>
  void SubtractRight(T (&in)[Items], U (&out)[Items], Op op) {
    right(in, out, op, kThreads * Items, nullptr);
  }
  template <int Items, class U, class Op>
  void SubtractRight(T (&in)[Items], U (&out)[Items], Op op, T after) {
    right(in, out, op, kThreads * Items, &after);
  }
  template <int Items, class U, class Op>
  void SubtractRightPartialTile(T (&in)[Items], U (&out)[Items], Op op, int valid_items) {
    right(in, out, op, valid_items, nullptr);
  }

 private:
  /// Items without a neighbour, and those that are not valid, stay as they are.
  template <int Items, class U, class Op>
  void left(T (&in)[Items], U (&out)[Items], Op op, int valid, const T* before) {
    edges_.share(in);
    const int first = detail::thread() * Items;
    for (int k = Items - 1; k >= 0; --k) {
      if (first + k >= valid)
        out[k] = in[k];
      else if (k > 0)
        out[k] = op(in[k], in[k - 1]);
      else if (edges_.has_left())
        out[k] = op(in[k], edges_.left());
      else
        out[k] = before != nullptr ? U(op(in[k], *before)) : U(in[k]);
    }
  }
  template <int Items, class U, class Op>
  void right(T (&in)[Items], U (&out)[Items], Op op, int valid, const T* after) {
    edges_.share(in);
    const int first = detail::thread() * Items;
    for (int k = 0; k < Items; ++k) {
      if (first + k + 1 > valid || (first + k + 1 == valid && valid < kThreads * Items))
        out[k] = in[k];
      else if (k < Items - 1)
        out[k] = op(in[k], in[k + 1]);
      else if (edges_.has_right())
        out[k] = op(in[k], edges_.right());
      else
        out[k] = after != nullptr ? U(op(in[k], *after)) : U(in[k]);
    }
  }
  Edges edges_;
};

}  // namespace cub
