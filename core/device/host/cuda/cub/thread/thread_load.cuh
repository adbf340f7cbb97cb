// CUB's loads with a cache operator on the host device, where none makes a difference.
#pragma once

#include "cub/util_type.cuh"
#include "cuda/std/iterator"

namespace cub {
enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
template <CacheLoadModifier Modifier, class I>
inline auto ThreadLoad(I at) -> cuda::std::iter_value_t<I> {
  return *at;
}
template <int Count, class T>
inline void UnrolledThreadLoad(const T* from, T* to) {
  for (int k = 0; k < Count; ++k) to[k] = from[k];
}
}  // namespace cub
