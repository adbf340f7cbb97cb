// CUB's flags of where a block's items change, on the host device.
#pragma once

#include "kernelbatch/neighbours.hpp"

namespace cub {

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockDiscontinuity {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  using Edges = detail::Edges<T, kThreads>;
  using Room = typename Edges::Room;

 public:
  using TempStorage = Uninitialized<Room>;
  BlockDiscontinuity() : edges_{detail::own_storage<Room>()} {}
  explicit BlockDiscontinuity(TempStorage& storage) : edges_{storage.Alias()} {}

  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], T (&before)[Items], Op op) {
    edges_.share(items);
    mark_heads(heads, items, before, op, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], T (&before)[Items], Op op, T left) {
    edges_.share(items);
    mark_heads(heads, items, before, op, &left);
  }
  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Op op) {
    T before[Items];
    FlagHeads(heads, items, before, op);
  }
  template <int Items, class Flag, class Op>
  void FlagHeads(Flag (&heads)[Items], T (&items)[Items], Op op, T left) {
    T before[Items];
    FlagHeads(heads, items, before, op, left);
  }
  template <int Items, class Flag, class Op>
  void FlagTails(Flag (&tails)[Items], T (&items)[Items], Op op) {
    edges_.share(items);
    mark_tails(tails, items, op, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagTails(Flag (&tails)[Items], T (&items)[Items], Op op, T right) {
    edges_.share(items);
    mark_tails(tails, items, op, &right);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T (&items)[Items], Op op) {
    both(heads, tails, items, op, nullptr, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], Flag (&tails)[Items], T right, T (&items)[Items],
                         Op op) {
    both(heads, tails, items, op, nullptr, &right);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], T left, Flag (&tails)[Items], T (&items)[Items],
                         Op op) {
    both(heads, tails, items, op, &left, nullptr);
  }
  template <int Items, class Flag, class Op>
  void FlagHeadsAndTails(Flag (&heads)[Items], T left, Flag (&tails)[Items], T right,
                         T (&items)[Items], Op op) {
    both(heads, tails, items, op, &left, &right);
  }

 private:
  template <int Items, class Flag, class Op>
  void both(Flag (&heads)[Items], Flag (&tails)[Items], T (&items)[Items], Op op, const T* left,
            const T* right) {
    T before[Items];
    edges_.share(items);
    mark_heads(heads, items, before, op, left);
    mark_tails(tails, items, op, right);
  }
  /// The block's first item is a head, unless one before it is known.
  template <int Items, class Flag, class Op>
  void mark_heads(Flag (&heads)[Items], T (&items)[Items], T (&before)[Items], Op op,
                  const T* left) {
    const int first = detail::thread() * Items;
    for (int k = Items - 1; k > 0; --k) before[k] = items[k - 1];
    if (edges_.has_left()) before[0] = edges_.left();
    if (!edges_.has_left() && left != nullptr) before[0] = *left;
    for (int k = 0; k < Items; ++k)
      heads[k] = first + k == 0 && left == nullptr
                     ? Flag(1)
                     : Flag(detail::with_place(op, before[k], items[k], first + k));
  }
  template <int Items, class Flag, class Op>
  void mark_tails(Flag (&tails)[Items], T (&items)[Items], Op op, const T* right) {
    const int first = detail::thread() * Items;
    for (int k = 0; k < Items; ++k) {
      const bool is_last = k == Items - 1 && !edges_.has_right();
      if (is_last && right == nullptr) {
        tails[k] = Flag(1);
        continue;
      }
      const T next = k < Items - 1 ? items[k + 1] : is_last ? *right : edges_.right();
      tails[k] = Flag(detail::with_place(op, items[k], next, first + k + 1));
    }
  }
  Edges edges_;
};

}  // namespace cub
