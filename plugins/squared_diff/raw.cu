// z = (x − y)² in plain CUDA: as a stream where nothing is broadcast or strided, else with strides.
#include <kernelbatch/transform.cuh>

namespace {

template <class T>
__device__ T squared(T x, T y) {
  const T difference = x - y;
  return difference * difference;
}

/// Strides in elements; 0 repeats.
template <class T>
__device__ void strided(const T* x, long long x_row, long long x_column, const T* y, long long y_row,
                        long long y_column, T* z, long long count, long long columns) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step) {
    const long long row = k / columns;
    const long long column = k - row * columns;
    z[k] = squared(x[row * x_row + column * x_column], y[row * y_row + column * y_column]);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
squared_diff_int32(const int* x, const int* y, int* z, long long n) {
  kernelbatch::transform(n, z, [](int a, int b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256)
squared_diff_strided_int32(const int* x, long long x_row, long long x_column, const int* y, long long y_row,
                         long long y_column, int* z, long long count, long long columns) {
  strided(x, x_row, x_column, y, y_row, y_column, z, count, columns);
}

extern "C" __global__ void __launch_bounds__(256)
squared_diff_float32(const float* x, const float* y, float* z, long long n) {
  kernelbatch::transform(n, z, [](float a, float b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256)
squared_diff_strided_float32(const float* x, long long x_row, long long x_column, const float* y, long long y_row,
                         long long y_column, float* z, long long count, long long columns) {
  strided(x, x_row, x_column, y, y_row, y_column, z, count, columns);
}

extern "C" __global__ void __launch_bounds__(256)
squared_diff_float64(const double* x, const double* y, double* z, long long n) {
  kernelbatch::transform(n, z, [](double a, double b) { return squared(a, b); }, x, y);
}
extern "C" __global__ void __launch_bounds__(256)
squared_diff_strided_float64(const double* x, long long x_row, long long x_column, const double* y, long long y_row,
                         long long y_column, double* z, long long count, long long columns) {
  strided(x, x_row, x_column, y, y_row, y_column, z, count, columns);
}
