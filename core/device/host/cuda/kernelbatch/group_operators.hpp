// Operators of cooperative groups' reductions and scans, and how a group's values are collected.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

#define KERNELBATCH_GROUP_OPERATOR(name, expression)    \
  template <class T = void>                             \
  struct name {                                         \
    T operator()(T a, T b) const { return expression; } \
  };                                                    \
  template <>                                           \
  struct name<void> {                                   \
    template <class T>                                  \
    T operator()(T a, T b) const {                      \
      return expression;                                \
    }                                                   \
  };
KERNELBATCH_GROUP_OPERATOR(plus, T(a + b))
KERNELBATCH_GROUP_OPERATOR(less, b < a ? b : a)
KERNELBATCH_GROUP_OPERATOR(greater, a < b ? b : a)
KERNELBATCH_GROUP_OPERATOR(bit_and, T(a& b))
KERNELBATCH_GROUP_OPERATOR(bit_or, T(a | b))
KERNELBATCH_GROUP_OPERATOR(bit_xor, T(a ^ b))
#undef KERNELBATCH_GROUP_OPERATOR

namespace details {

/// Calls `use` with the values of the group's threads, their number and the caller's rank.
template <class T, class Group, class Use>
inline T collect(const Group& group, const T& value, Use use) {
  if constexpr (Group::_group_id == kCoalesced) {
    lanes::Row<T> row;
    const unsigned count = lanes::gather_ranks(group._lanes(), value, row);
    return use(&row[0], count, unsigned(group.thread_rank()));
  } else {
    static_assert(Group::_group_id == kMultiTile,
                  "not for this group: for tiles and coalesced groups");
    const unsigned rank = group.thread_rank();
    return group._all(value, [&](const T* values, unsigned count) {
      lanes::Row<T, Group::size()> row;
      memcpy(row.room, values, count * sizeof(T));
      return use(&row[0], count, rank);
    });
  }
}

/// Each warp by itself, then the warps' totals.
template <class T, class Operator>
inline void scan_warps(T* all, unsigned count, Operator& combine) {
  lanes::Row<T> total;
  for (unsigned first = 0; first < count; first += 32) {
    const unsigned size = count - first < 32 ? count - first : 32;
    lanes::scan(all + first, size, combine);
    total[first / 32] = all[first + size - 1];
  }
  lanes::scan(&total[0], (count + 31) / 32, combine);
  for (unsigned k = 32; k < count; ++k) all[k] = combine(all[k], total[k / 32 - 1]);
}

template <class Atomic, class T>
inline auto value_of(const T& value) {
  return typename cuda::std::remove_cvref_t<Atomic>::value_type(value);
}
/// Combines an atomic with a value; gives what was there before.
template <class Atomic, class T, class Operator>
inline T update(Atomic& to, const T& value, Operator& combine) {
  T old = to.load();
  while (!to.compare_exchange_weak(old, T(combine(old, value)))) {
  }
  return old;
}

}  // namespace details
}  // namespace cooperative_groups
