// z[i] = x[i] + y[n − 1 − i] in plain CUDA: the reversed vector is read through the cache, whose lines the
// neighbouring threads share.
#include <kernelbatch/transform.cuh>

extern "C" __global__ void __launch_bounds__(256)
add_reverse_int32(const int* x, const int* y, int* z, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; k + 3 * step < n; k += 4 * step) {
    int sums[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) sums[u] = x[k + u * step] + y[n - 1 - k - u * step];
#pragma unroll
    for (int u = 0; u < 4; ++u) z[k + u * step] = sums[u];
  }
  for (; k < n; k += step) z[k] = x[k] + y[n - 1 - k];
}

extern "C" __global__ void __launch_bounds__(256)
add_reverse_float32(const float* x, const float* y, float* z, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; k + 3 * step < n; k += 4 * step) {
    float sums[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) sums[u] = x[k + u * step] + y[n - 1 - k - u * step];
#pragma unroll
    for (int u = 0; u < 4; ++u) z[k + u * step] = sums[u];
  }
  for (; k < n; k += step) z[k] = x[k] + y[n - 1 - k];
}

extern "C" __global__ void __launch_bounds__(256)
add_reverse_float64(const double* x, const double* y, double* z, long long n) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; k + 3 * step < n; k += 4 * step) {
    double sums[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) sums[u] = x[k + u * step] + y[n - 1 - k - u * step];
#pragma unroll
    for (int u = 0; u < 4; ++u) z[k + u * step] = sums[u];
  }
  for (; k < n; k += step) z[k] = x[k] + y[n - 1 - k];
}
