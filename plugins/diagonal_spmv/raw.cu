// y = A·x by diagonals in plain CUDA: one thread for each row, so neighbours read neighbouring entries of
// every diagonal and of x; four diagonals are in flight.

namespace {

template <class T>
__device__ void product(const long long* offsets, const T* diagonals, const T* x, T* y, int count, long long rows,
                        long long columns) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    const auto term = [&](int d) {
      const long long column = row + offsets[d];
      return column >= 0 && column < columns ? diagonals[d * rows + row] * x[column] : T(0);
    };
    T sums[4] = {};
    int d = 0;
    for (; d + 3 < count; d += 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) sums[u] += term(d + u);
    }
    for (; d < count; ++d) sums[0] += term(d);
    y[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
diagonal_spmv_float32(const long long* offsets, const float* diagonals, const float* x, float* y, int count,
                  long long rows, long long columns) {
  product(offsets, diagonals, x, y, count, rows, columns);
}

extern "C" __global__ void __launch_bounds__(256)
diagonal_spmv_float64(const long long* offsets, const double* diagonals, const double* x, double* y, int count,
                  long long rows, long long columns) {
  product(offsets, diagonals, x, y, count, rows, columns);
}
