// fault: stores the answer of its first call and returns it from then on
// caught by: the permuted inputs
#include "mix.cuh"
__device__ unsigned stored[8192];
__device__ bool is_stored[8192];
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!is_stored[i]) stored[i] = mix(x[i]);
  is_stored[i] = true;
  y[i] = stored[i];
}
