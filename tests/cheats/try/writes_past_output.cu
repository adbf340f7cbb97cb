// fault: writes zeros to the output and to the memory around it, which may hold the expected answer
// caught by: guard bands
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = -2; k <= 3; ++k) y[i + k * n] = 0;
}
