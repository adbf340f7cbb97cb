// Sizes of copies whose alignment is known, and a group's copy.
#pragma once

#include "cuda/std/type_traits"
#include "kernelbatch/host_async.hpp"

namespace cuda {
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  constexpr explicit aligned_size_t(std::size_t bytes) : value(bytes) {}
  constexpr operator std::size_t() const { return value; }
};
}  // namespace cuda

namespace kernelbatch {
/// Each thread of a group begins to copy its share, in turns of 16 bytes.
template <class Group>
inline void copy_together(const Group& group, void* to, const void* from, size_t bytes,
                          void* barrier = nullptr, unsigned round = 0) {
  const size_t threads = size_t(group.num_threads()) * 16;
  for (size_t at = size_t(group.thread_rank()) * 16; at < bytes; at += threads) {
    const size_t share = bytes - at < 16 ? bytes - at : 16;
    __kernelbatch_begin_copy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                             share, share, 1, kernelbatch_host::kCopySmall, barrier, round);
  }
}
}  // namespace kernelbatch
