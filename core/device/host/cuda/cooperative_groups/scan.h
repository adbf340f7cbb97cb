// Scans of cooperative groups on the host device.
#pragma once

#include "cooperative_groups.h"
#include "kernelbatch/group_operators.hpp"

namespace cooperative_groups {

template <class Group, class T, class Operator>
inline auto inclusive_scan(const Group& group, const T& value, Operator&& combine)
    -> cuda::std::remove_cvref_t<decltype(combine(value, value))> {
  using Value = cuda::std::remove_cvref_t<decltype(combine(value, value))>;
  return details::collect<Value>(group, Value(value),
                                 [&](Value* all, unsigned count, unsigned rank) {
                                   details::scan_warps(all, count, combine);
                                   return all[rank];
                                 });
}
/// The first thread gets a value of zero.
template <class Group, class T, class Operator>
inline auto exclusive_scan(const Group& group, const T& value, Operator&& combine)
    -> cuda::std::remove_cvref_t<decltype(combine(value, value))> {
  using Value = cuda::std::remove_cvref_t<decltype(combine(value, value))>;
  return details::collect<Value>(group, Value(value),
                                 [&](Value* all, unsigned count, unsigned rank) {
                                   if (rank == 0) return Value();
                                   details::scan_warps(all, count, combine);
                                   return all[rank - 1];
                                 });
}
template <class Group, class T>
inline T inclusive_scan(const Group& group, const T& value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T>
inline T exclusive_scan(const Group& group, const T& value) {
  return exclusive_scan(group, value, plus<T>());
}

namespace details {
/// The last thread adds the group's total to the atomic; all get what was there before.
template <class Value, class Group, class Atomic, class Operator>
inline Value old_after_update(const Group& group, Atomic& to, const Value& inclusive,
                              Operator& combine) {
  Value old{};
  const unsigned last = unsigned(group.num_threads()) - 1;
  if (group.thread_rank() == last) old = update(to, inclusive, combine);
  return group.shfl(old, last);
}
}  // namespace details

template <class Group, class Atomic, class T, class Operator>
inline auto inclusive_scan_update(const Group& group, Atomic&& to, const T& value,
                                  Operator&& combine) {
  const auto own = details::value_of<Atomic>(value);
  const auto inclusive = inclusive_scan(group, own, combine);
  return combine(details::old_after_update(group, to, inclusive, combine), inclusive);
}
template <class Group, class Atomic, class T, class Operator>
inline auto exclusive_scan_update(const Group& group, Atomic&& to, const T& value,
                                  Operator&& combine) {
  const auto own = details::value_of<Atomic>(value);
  const auto inclusive = inclusive_scan(group, own, combine);
  const auto old = details::old_after_update(group, to, inclusive, combine);
  const auto before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? old : combine(old, before);
}
template <class Group, class Atomic, class T>
inline auto inclusive_scan_update(const Group& group, Atomic&& to, const T& value) {
  return inclusive_scan_update(group, to, value, plus<cuda::std::remove_cvref_t<T>>());
}
template <class Group, class Atomic, class T>
inline auto exclusive_scan_update(const Group& group, Atomic&& to, const T& value) {
  return exclusive_scan_update(group, to, value, plus<cuda::std::remove_cvref_t<T>>());
}

}  // namespace cooperative_groups
