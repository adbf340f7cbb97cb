// c = a + b in plain CUDA.
#include <kernelbatch/transform.cuh>

extern "C" __global__ void __launch_bounds__(256)
vector_add_int32(const int* a, const int* b, int* c, long long n) {
  kernelbatch::transform(n, c, [](int x, int y) { return x + y; }, a, b);
}

extern "C" __global__ void __launch_bounds__(256)
vector_add_int64(const long long* a, const long long* b, long long* c, long long n) {
  kernelbatch::transform(n, c, [](long long x, long long y) { return x + y; }, a, b);
}

extern "C" __global__ void __launch_bounds__(256)
vector_add_float32(const float* a, const float* b, float* c, long long n) {
  kernelbatch::transform(n, c, [](float x, float y) { return x + y; }, a, b);
}

extern "C" __global__ void __launch_bounds__(256)
vector_add_float64(const double* a, const double* b, double* c, long long n) {
  kernelbatch::transform(n, c, [](double x, double y) { return x + y; }, a, b);
}
