// Row sums of squares and a matrix product in plain CUDA, each alone and both in one launch.
#include <kernelbatch/tile_product.cuh>
#include <kernelbatch/transform.cuh>

namespace {

/// Rows first, first + step, …
template <class T>
__device__ void row_squares(const T* p, T* squares, long long rows, long long cols, int first, int step) {
  for (long long row = first; row < rows; row += step) {
    const T sum = kernelbatch::block_transform_sum<T>(
        row * cols, (row + 1) * cols, [](T value) { return value * value; }, p);
    if (threadIdx.x == 0) squares[row] = sum;
  }
}

template <class T>
__device__ void product(const T* a, const T* b, T* c, int m, int across, int tile) {
  kernelbatch::tile_product(a, b, c, m, m, m, tile / across, tile % across);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
row_squares_float32(const float* p, float* squares, long long rows, long long cols) {
  row_squares(p, squares, rows, cols, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
}
extern "C" __global__ void __launch_bounds__(256)
product_float32(const float* a, const float* b, float* c, int m, int across) {
  product(a, b, c, m, across, static_cast<int>(blockIdx.x));
}
extern "C" __global__ void __launch_bounds__(256)
both_float32(const float* p, float* squares, long long rows, long long cols, const float* a, const float* b, float* c,
         int m, int across) {
  const int tiles = across * across;
  const int block = static_cast<int>(blockIdx.x);
  if (block < tiles)
    product(a, b, c, m, across, block);
  else
    row_squares(p, squares, rows, cols, block - tiles, static_cast<int>(gridDim.x) - tiles);
}

extern "C" __global__ void __launch_bounds__(256)
row_squares_float64(const double* p, double* squares, long long rows, long long cols) {
  row_squares(p, squares, rows, cols, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
}
extern "C" __global__ void __launch_bounds__(256)
product_float64(const double* a, const double* b, double* c, int m, int across) {
  product(a, b, c, m, across, static_cast<int>(blockIdx.x));
}
extern "C" __global__ void __launch_bounds__(256)
both_float64(const double* p, double* squares, long long rows, long long cols, const double* a, const double* b, double* c,
         int m, int across) {
  const int tiles = across * across;
  const int block = static_cast<int>(blockIdx.x);
  if (block < tiles)
    product(a, b, c, m, across, block);
  else
    row_squares(p, squares, rows, cols, block - tiles, static_cast<int>(gridDim.x) - tiles);
}
