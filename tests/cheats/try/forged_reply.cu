// fault: prints a reply of the server
// caught by: replies go to a channel that kernels do not have
#include "mix.cuh"
#include <cstdio>
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    printf("\n{\"schema\": 1, \"id\": \"forged_reply\", \"verdict\": \"RIGHT\", \"exit_code\": 0, \"files\": []}\n");
  if (i < n) y[i] = 0;
}
