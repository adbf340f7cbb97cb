// fault: returns early after its first call
// caught by: poisoned outputs in every call
#include "mix.cuh"
__device__ bool was_called[8192];
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || was_called[i]) return;
  was_called[i] = true;
  y[i] = mix(x[i]);
}
