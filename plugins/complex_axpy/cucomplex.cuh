// y = x1 + a·x2 as it is written with cuComplex.h, one kernel for each precision.
#include <cuComplex.h>

extern "C" __global__ void complex_axpy_complex64(const cuFloatComplex* x1, const cuFloatComplex* x2,
                                                  cuFloatComplex* y, cuFloatComplex a, long long n) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step)
    y[k] = cuCaddf(x1[k], cuCmulf(a, x2[k]));
}

extern "C" __global__ void complex_axpy_complex128(const cuDoubleComplex* x1, const cuDoubleComplex* x2,
                                                   cuDoubleComplex* y, cuDoubleComplex a, long long n) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step)
    y[k] = cuCadd(x1[k], cuCmul(a, x2[k]));
}
