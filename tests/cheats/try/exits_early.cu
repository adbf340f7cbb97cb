// fault: ends the worker with the exit code of success
// caught by: a worker that ends has no result; on a GPU it does not compile
#include "mix.cuh"
extern "C" void _Exit(int);
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0;
  if (i == n - 1) _Exit(0);
}
