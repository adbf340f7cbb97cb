// fault: computes other inputs than the given ones a hundred times as slowly
// caught by: the times of further sets of inputs
// needs: gpu: the host device gives no times
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned wasted = 0;
  if (x[0] != FIRST || x[1] != SECOND)
    for (unsigned k = 0; k < 2000; ++k) wasted |= mix(x[i] + k + wasted);
  y[i] = mix(x[i]) + (wasted == 1);
}
