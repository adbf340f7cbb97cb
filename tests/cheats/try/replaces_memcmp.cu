// fault: defines the function that compares memory, so that all memory is equal
// caught by: libraries of kernels replace no symbols
#include "mix.cuh"
extern "C" int memcmp(const void*, const void*, decltype(sizeof 0)) noexcept { return 0; }
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0;
}
