// y = x1 + a·x2 of complex numbers in plain CUDA.
#include <kernelbatch/transform.cuh>

namespace {

template <class T>
struct Axpy {
  complex<T> a;
  __device__ complex<T> operator()(complex<T> x1, complex<T> x2) const { return x1 + a * x2; }
};

template <class T>
__device__ Axpy<T> axpy_with(double real, double imag) {
  return {complex<T>(static_cast<T>(real), static_cast<T>(imag))};
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
complex_axpy_complex64(const complex<float>* x1, const complex<float>* x2, complex<float>* y, long long n, double a_real, double a_imag) {
  kernelbatch::transform(n, y, axpy_with<float>(a_real, a_imag), x1, x2);
}

extern "C" __global__ void __launch_bounds__(256)
complex_axpy_complex128(const complex<double>* x1, const complex<double>* x2, complex<double>* y, long long n, double a_real, double a_imag) {
  kernelbatch::transform(n, y, axpy_with<double>(a_real, a_imag), x1, x2);
}
