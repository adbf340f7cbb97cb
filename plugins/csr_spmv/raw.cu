// y = A·x in plain CUDA: a part of a warp for each row, whose threads read neighbouring entries.

namespace {

/// `lanes` is a power of two up to 32; whole warps stay in the loop, for the shuffles.
template <class T>
__device__ void product(const int* indptr, const int* indices, const T* data, const T* x, T* y, int rows, int lanes) {
  const int per_grid = static_cast<int>(static_cast<long long>(gridDim.x) * blockDim.x / lanes);
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int rows_of_warp = 32 / lanes;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long first = thread / 32 * rows_of_warp; first < rows; first += per_grid) {
    const long long row = first + static_cast<int>(threadIdx.x) % 32 / lanes;
    T sum = 0;
    if (row < rows) {
      const int end = indptr[row + 1];
      for (int k = indptr[row] + lane; k < end; k += lanes) sum += data[k] * x[indices[k]];
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (row < rows && lane == 0) y[row] = sum;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
csr_spmv_float32(const int* indptr, const int* indices, const float* data, const float* x, float* y, int rows, int lanes) {
  product(indptr, indices, data, x, y, rows, lanes);
}

extern "C" __global__ void __launch_bounds__(256)
csr_spmv_float64(const int* indptr, const int* indices, const double* data, const double* x, double* y, int rows, int lanes) {
  product(indptr, indices, data, x, y, rows, lanes);
}
