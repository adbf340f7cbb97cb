// Honest: each element is a hash of its input.
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mix(x[i]);
}
