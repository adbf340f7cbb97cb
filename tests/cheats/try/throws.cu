// fault: leaves the kernel by an exception
// caught by: exceptions of a kernel are failures; on a GPU it does not compile
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0;
  if (i == n - 1) throw 0;
}
