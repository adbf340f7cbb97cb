// fault: leaves out one element after its second call, another one each time
// caught by: the digest of every call
#include "mix.cuh"
__device__ unsigned calls[8192];
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned call = calls[i]++;
  if (call < 2 || i != int(mix(call) % unsigned(n))) y[i] = mix(x[i]);
}
