// A stable merge sort of the items of some threads, for CUB's merge sorts on the host device.
#pragma once

#include "cub/util_ptx.cuh"

namespace cub {
namespace detail {

template <class Key, class Value, int Threads, int Items>
struct MergeRoom {
  static constexpr int kCount = Threads * Items;
  Values<Key, kCount> keys;
  Values<Value, kCount> values;
  int order[2][kCount];
};

/// `Sync` has rank() and sync() of the threads that sort together.
template <class Key, class Value, int Threads, int Items, class Sync>
class MergeSort {
  using Room = MergeRoom<Key, Value, Threads, Items>;
  static constexpr int kCount = Room::kCount;

 public:
  using TempStorage = Uninitialized<Room>;
  explicit MergeSort(Room& room) : room_(room) {}
  explicit MergeSort(TempStorage& storage) : room_(storage.Alias()) {}

  template <class Less>
  void Sort(Key (&keys)[Items], Less less) {
    run(keys, nullptr, less, kCount, nullptr);
  }
  template <class Less>
  void Sort(Key (&keys)[Items], Less less, int valid_items, Key rest) {
    run(keys, nullptr, less, valid_items, &rest);
  }
  template <class Less>
  void Sort(Key (&keys)[Items], Value (&values)[Items], Less less) {
    run(keys, values, less, kCount, nullptr);
  }
  template <class Less, bool IsLastTile = true>
  void Sort(Key (&keys)[Items], Value (&values)[Items], Less less, int valid_items, Key rest) {
    run(keys, values, less, valid_items, &rest);
  }
  template <class... A>
  void StableSort(A&&... a) {
    Sort(static_cast<A&&>(a)...);
  }
  int get_linear_tid() const { return Sync::rank(); }

 private:
  template <class Less>
  void sort(Less less) {
    int* from = room_.order[0];
    int* to = room_.order[1];
    for (int k = 0; k < kCount; ++k) from[k] = k;
    for (int width = 1; width < kCount; width *= 2) {
      for (int begin = 0; begin < kCount; begin += 2 * width) {
        const int middle = begin + width < kCount ? begin + width : kCount;
        const int end = begin + 2 * width < kCount ? begin + 2 * width : kCount;
        int a = begin, b = middle;
        for (int k = begin; k < end; ++k) {
          const bool second =
              b < end && (a == middle || less(room_.keys[from[b]], room_.keys[from[a]]));
          to[k] = second ? from[b++] : from[a++];
        }
      }
      int* const done = to;
      to = from;
      from = done;
    }
    if (from != room_.order[0])
      for (int k = 0; k < kCount; ++k) room_.order[0][k] = from[k];
  }
  template <class Less>
  void run(Key (&keys)[Items], Value* values, Less less, int valid, const Key* rest) {
    const int first = Sync::rank() * Items;
    for (int k = 0; k < Items; ++k) {
      if (first + k >= valid) keys[k] = *rest;
      room_.keys[first + k] = keys[k];
      if (values != nullptr) room_.values[first + k] = values[k];
    }
    Sync::sync();
    if (Sync::rank() == 0) sort(less);
    Sync::sync();
    for (int k = 0; k < Items; ++k) {
      const int item = room_.order[0][first + k];
      keys[k] = room_.keys[item];
      if (values != nullptr) values[k] = room_.values[item];
    }
    Sync::sync();
  }
  Room& room_;
};

}  // namespace detail
}  // namespace cub
