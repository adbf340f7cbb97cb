// fault: returns the answer of the call before, and computes the next one
// caught by: the permuted inputs, which change between calls
#include "mix.cuh"
__device__ unsigned next_answer[8192];
__device__ bool has_next[8192];
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned answer = mix(x[i]);
  y[i] = has_next[i] ? next_answer[i] : answer;
  next_answer[i] = answer;
  has_next[i] = true;
}
