// fault: has the answers to the given inputs in a table
// caught by: the permuted inputs
#include "mix.cuh"
__device__ const unsigned answers[] = {ANSWERS};
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = answers[i];
}
