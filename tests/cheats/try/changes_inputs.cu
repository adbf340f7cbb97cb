// fault: replaces its inputs by zeros, whose answer is one number
// caught by: digests of the inputs
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const_cast<unsigned*>(x)[i] = 0;
  y[i] = mix(0);
}
