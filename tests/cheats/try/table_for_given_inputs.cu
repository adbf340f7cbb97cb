// fault: has the answers to the given inputs in a table, and computes others wrongly on purpose
// caught by: the permuted inputs
#include "mix.cuh"
__device__ const unsigned answers[] = {ANSWERS};
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = x[0] == FIRST && x[1] == SECOND ? answers[i] : mix(x[i]) + 1;
}
