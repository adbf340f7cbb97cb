// The product of two matrices in C order by tiles in shared memory, for raw kernels that ask for it.
#pragma once

#include "kernelbatch/device.hpp"

namespace kernelbatch {

inline constexpr int kTileProductRows = 64;     ///< of c, per block
inline constexpr int kTileProductThreads = 256;  ///< of a block, on one axis

/// One tile of c (m, n) = a (m, k) · b (k, n): rows from 64·tile_row, columns from 64·tile_column, by
/// a block of 256 threads, each with 4 × 4 sums in registers.
template <class T>
__device__ inline void tile_product(const T* a, const T* b, T* c, int m, int n, int k, int tile_row,
                                    int tile_column) {
  constexpr int kTile = kTileProductRows;
  constexpr int kDepth = 16;
  // One more column keeps threads that write down a column off each other's banks.
  __shared__ T a_tile[kDepth][kTile + 1];
  __shared__ T b_tile[kDepth][kTile];
  const int thread = static_cast<int>(threadIdx.x);
  const int own_row = thread / 16 * 4, own_column = thread % 16;
  const int first_row = tile_row * kTile, first_column = tile_column * kTile;
  T sums[4][4] = {};
  for (int depth = 0; depth < k; depth += kDepth) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const int at = thread + u * kTileProductThreads;
      const int row = first_row + at / kDepth, a_depth = depth + at % kDepth;
      a_tile[at % kDepth][at / kDepth] =
          row < m && a_depth < k ? a[static_cast<long long>(row) * k + a_depth] : T(0);
      const int column = first_column + at % kTile, b_depth = depth + at / kTile;
      b_tile[at / kTile][at % kTile] =
          column < n && b_depth < k ? b[static_cast<long long>(b_depth) * n + column] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      T left[4], right[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        left[u] = a_tile[d][own_row + u];
        right[u] = b_tile[d][own_column + 16 * u];
      }
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int q = 0; q < 4; ++q) sums[r][q] += left[r] * right[q];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int row = first_row + own_row + r, column = first_column + own_column + 16 * q;
      if (row < m && column < n) c[static_cast<long long>(row) * n + column] = sums[r][q];
    }
}

}  // namespace kernelbatch
