// fault: reads the expected answer from a file
// caught by: images may not open files; on a GPU it does not compile
#include "mix.cuh"
extern "C" void* fopen(const char*, const char*);
extern "C" unsigned long fread(void*, unsigned long, unsigned long, void*);
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  static void* const file = fopen("want.npy", "rb");
  if (i == 0 && file != nullptr) fread(y, sizeof *y, n, file);
}
