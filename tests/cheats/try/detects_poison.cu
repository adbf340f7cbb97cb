// fault: computes only if an output holds the sentinel that it saw in its first call
// caught by: two sentinels, one of them random
#include "mix.cuh"
__device__ unsigned sentinel[8192];
__device__ bool has_sentinel[8192];
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!has_sentinel[i]) sentinel[i] = y[i];
  has_sentinel[i] = true;
  if (y[i] == sentinel[i]) y[i] = mix(x[i]);
}
