// A block's first and last items, seen by the neighbouring threads; for CUB on the host device.
#pragma once

#include "cub/util_ptx.cuh"

namespace cub {
namespace detail {

template <class T, int Threads>
struct EdgeRoom {
  Values<T, Threads> first, last;
};
template <class T, int Threads>
struct Edges {
  using Room = EdgeRoom<T, Threads>;
  Room& room;
  template <int Items>
  void share(T (&items)[Items]) {
    room.first[thread()] = items[0];
    room.last[thread()] = items[Items - 1];
    __syncthreads();
  }
  bool has_left() const { return thread() > 0; }
  bool has_right() const { return thread() < Threads - 1; }
  T left() { return room.last[thread() - 1]; }
  T right() { return room.first[thread() + 1]; }
};
/// Operators may want to know the second item's place.
template <class Op, class T>
inline auto with_place(Op& op, const T& a, const T& b, int place) {
  if constexpr (requires { op(a, b, place); })
    return op(a, b, place);
  else
    return op(a, b);
}

}  // namespace detail
}  // namespace cub
