// fault: is correct only on the given inputs, which it recognizes by two elements
// caught by: the permuted inputs
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mix(x[i]) + (x[0] != FIRST || x[1] != SECOND);
}
