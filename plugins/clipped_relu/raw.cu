// y = min(max(x, 0), cap) in plain CUDA; NaN stays NaN.
#include <kernelbatch/transform.cuh>

extern "C" __global__ void __launch_bounds__(256)
clipped_relu_int32(const int* x, int* y, long long n, double cap) {
  const auto limit = static_cast<int>(cap);
  const auto clip = [limit](int value) { return value < 0 ? int(0) : value > limit ? limit : value; };
  kernelbatch::transform(n, y, clip, x);
}

extern "C" __global__ void __launch_bounds__(256)
clipped_relu_float32(const float* x, float* y, long long n, double cap) {
  const auto limit = static_cast<float>(cap);
  const auto clip = [limit](float value) { return value < 0 ? float(0) : value > limit ? limit : value; };
  kernelbatch::transform(n, y, clip, x);
}

extern "C" __global__ void __launch_bounds__(256)
clipped_relu_float64(const double* x, double* y, long long n, double cap) {
  const auto limit = static_cast<double>(cap);
  const auto clip = [limit](double value) { return value < 0 ? double(0) : value > limit ? limit : value; };
  kernelbatch::transform(n, y, clip, x);
}
