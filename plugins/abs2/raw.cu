// y = re(z)² + im(z)² in plain CUDA.
#include <kernelbatch/transform.cuh>

namespace {

struct Abs2 {
  template <class T>
  __device__ T operator()(complex<T> value) const {
    return value.real() * value.real() + value.imag() * value.imag();
  }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
abs2_complex64(const complex<float>* z, float* y, long long n) {
  kernelbatch::transform(n, y, Abs2{}, z);
}

extern "C" __global__ void __launch_bounds__(256)
abs2_complex128(const complex<double>* z, double* y, long long n) {
  kernelbatch::transform(n, y, Abs2{}, z);
}
