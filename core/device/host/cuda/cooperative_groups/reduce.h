// Reductions of cooperative groups on the host device, with the rounding of a GPU's order.
#pragma once

#include "cooperative_groups.h"
#include "kernelbatch/group_operators.hpp"

namespace cooperative_groups {

/// Every thread of the group gets the combination of all values.
template <class Group, class T, class Operator>
inline auto reduce(const Group& group, const T& value, Operator&& combine)
    -> cuda::std::remove_cvref_t<decltype(combine(value, value))> {
  using Value = cuda::std::remove_cvref_t<decltype(combine(value, value))>;
  return details::collect<Value>(
      group, Value(value), [&](Value* all, unsigned count, unsigned rank) {
        constexpr bool kIsTile = !cuda::std::is_same_v<Group, coalesced_group>;
        if ((count & (count - 1)) != 0 || (count < 32 && !kIsTile)) {
          details::lanes::scan(all, count, combine);
          return all[count - 1];
        }
        for (unsigned warp = 0; warp < count; warp += 32)
          all[count > 32 ? warp / 32 : rank] = details::lanes::butterfly(
              all + warp, count < 32 ? count : 32, count > 32 ? 0 : rank, combine);
        if (count <= 32) return all[rank];
        return details::lanes::butterfly(all, count / 32, 0, combine);
      });
}

template <class Group, class T, class Value, class Operator>
inline void reduce_store_async(const Group& group, T* to, const Value& value, Operator&& combine) {
  const auto result = reduce(group, T(value), combine);
  if (group.thread_rank() == 0) *to = result;
}
template <class Group, class Atomic, class Value, class Operator>
inline void reduce_store_async(const Group& group, Atomic&& to, const Value& value,
                               Operator&& combine) {
  const auto result = reduce(group, details::value_of<Atomic>(value), combine);
  if (group.thread_rank() == 0) to.store(result);
}
template <class Group, class Atomic, class Value, class Operator>
inline void reduce_update_async(const Group& group, Atomic&& to, const Value& value,
                                Operator&& combine) {
  const auto result = reduce(group, details::value_of<Atomic>(value), combine);
  if (group.thread_rank() == 0) details::update(to, result, combine);
}

}  // namespace cooperative_groups
