// fault: leaves out elements whenever a clock has an odd hundredth
// caught by: poisoned outputs in every call
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && clock64() / 128 % 2 == 0) y[i] = mix(x[i]);
}
