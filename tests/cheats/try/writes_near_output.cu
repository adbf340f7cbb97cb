// fault: writes zeros to the output and to a few elements after it
// caught by: guard bands
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 0;
  if (i < 16) y[n + i] = 0;
}
