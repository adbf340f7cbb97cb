// Copies by a whole group on the host device, each thread its share.
#pragma once

#include "cooperative_groups.h"
#include "kernelbatch/host_group_copies.hpp"

namespace cooperative_groups {

template <class Group, class T, class Size>
inline void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  ::kernelbatch::copy_together(group, to, from, size_t(bytes));
  __kernelbatch_commit_copies();
}
template <class Group, class T, class ToLayout, class FromLayout>
inline void memcpy_async(const Group& group, T* to, const ToLayout& to_count, const T* from,
                         const FromLayout& from_count) {
  const size_t count =
      size_t(to_count) < size_t(from_count) ? size_t(to_count) : size_t(from_count);
  ::kernelbatch::copy_together(group, to, from, count * sizeof(T));
  __kernelbatch_commit_copies();
}
template <unsigned Stage, class Group>
inline void wait_prior(const Group& group) {
  __kernelbatch_wait_copies(Stage);
  group.sync();
}
template <class Group>
inline void wait(const Group& group) {
  __kernelbatch_wait_copies(0);
  group.sync();
}

}  // namespace cooperative_groups
