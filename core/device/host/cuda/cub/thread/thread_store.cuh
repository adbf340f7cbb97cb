// CUB's stores with a cache operator on the host device, where none makes a difference.
#pragma once

#include "cub/util_type.cuh"

namespace cub {
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheStoreModifier Modifier, class I, class T>
inline void ThreadStore(I at, T value) {
  *at = value;
}
}  // namespace cub
