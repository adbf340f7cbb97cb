// gradient in plain CUDA: each block loads a tile and its border into shared memory, so that a cell is read from global
// memory once, and not for each of its neighbours.

namespace {

constexpr int kWidth = 32, kHeight = 8;  // cells of a tile, and threads of a block

template <class T>
__device__ void gradient(const T* u, T* dx, T* dy, int rows, int cols) {
  __shared__ T tile[kHeight + 2][kWidth + 2];
  const int tiles = (rows + kHeight - 1) / kHeight;
  for (int y = static_cast<int>(blockIdx.y); y < tiles; y += static_cast<int>(gridDim.y)) {
    const int first_row = y * kHeight - 1, first_column = static_cast<int>(blockIdx.x) * kWidth - 1;
    // More cells than threads: each thread loads one or two. Cells outside of the grid are copies of its edge.
    for (int k = static_cast<int>(threadIdx.y) * kWidth + static_cast<int>(threadIdx.x);
         k < (kHeight + 2) * (kWidth + 2); k += kHeight * kWidth) {
      const int r = k / (kWidth + 2), c = k % (kWidth + 2);
      const int row = min(max(first_row + r, 0), rows - 1), column = min(max(first_column + c, 0), cols - 1);
      tile[r][c] = u[static_cast<long long>(row) * cols + column];
    }
    __syncthreads();
    const int r = static_cast<int>(threadIdx.y) + 1, c = static_cast<int>(threadIdx.x) + 1;
    const int row = first_row + r, column = first_column + c;
    if (row < rows && column < cols) {
      const long long k = static_cast<long long>(row) * cols + column;
      dx[k] = (tile[r][c + 1] - tile[r][c - 1]) / 2;
      dy[k] = (tile[r + 1][c] - tile[r - 1][c]) / 2;
    }
    // The next tile replaces this one.
    __syncthreads();
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kWidth* kHeight)
gradient_float32(const float* u, float* dx, float* dy, int rows, int cols) {
  gradient(u, dx, dy, rows, cols);
}

extern "C" __global__ void __launch_bounds__(kWidth* kHeight)
gradient_float64(const double* u, double* dx, double* dy, int rows, int cols) {
  gradient(u, dx, dy, rows, cols);
}
