// Scalar products of rows in plain CUDA: blocks share a row where there are few rows, then a thread adds up
// their sums.
#include <kernelbatch/transform.cuh>

namespace {

template <class T>
__device__ void products(const T* x, const T* y, T* parts, long long rows, long long cols, long long pieces) {
  // Pieces begin at multiples of 16 bytes where the row does.
  const long long length = (cols + pieces - 1) / pieces + 15 & ~15ll;
  for (long long part = blockIdx.x; part < rows * pieces; part += gridDim.x) {
    const long long row = part / pieces * cols;
    const long long first = part % pieces * length;
    const long long begin = first < cols ? first : cols;
    const long long end = begin + length < cols ? begin + length : cols;
    const T sum = kernelbatch::block_transform_sum<T>(
        row + begin, row + end, [](T a, T b) { return a * b; }, x, y);
    if (threadIdx.x == 0) parts[part] = sum;
  }
}

template <class T>
__device__ void add_up(const T* parts, T* z, long long rows, long long pieces) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += step) {
    T sum = 0;
    for (long long k = 0; k < pieces; ++k) sum += parts[row * pieces + k];
    z[row] = sum;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
products_float32(const float* x, const float* y, float* parts, long long rows, long long cols, long long pieces) {
  products(x, y, parts, rows, cols, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
add_up_float32(const float* parts, float* z, long long rows, long long pieces) {
  add_up(parts, z, rows, pieces);
}

extern "C" __global__ void __launch_bounds__(256)
products_float64(const double* x, const double* y, double* parts, long long rows, long long cols, long long pieces) {
  products(x, y, parts, rows, cols, pieces);
}
extern "C" __global__ void __launch_bounds__(256)
add_up_float64(const double* parts, double* z, long long rows, long long pieces) {
  add_up(parts, z, rows, pieces);
}
