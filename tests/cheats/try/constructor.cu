// fault: runs code when its library is loaded
// caught by: images may not have constructors; on a GPU nothing runs on the host
#include "mix.cuh"
__device__ unsigned answer_to_all = 0;
__attribute__((constructor)) static void load() { answer_to_all = 1; }
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = answer_to_all;
}
