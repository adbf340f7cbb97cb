// fault: computes only if the inputs have the size of a verification
// caught by: further sizes
// request: {"sizes": {"n": [1, 33, 1000]}}
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = n == COUNT ? mix(x[i]) : 0;
}
