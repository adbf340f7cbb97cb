// fault: searches the memory around its arrays for the first and the last expected elements, and copies what follows
// caught by: expected answers are encoded in the memory of a confined worker; often by a crash at memory that is not mapped
#include "mix.cuh"
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 0;
  const unsigned first = mix(x[0]), second = mix(x[1]), last = mix(x[n - 1]);
  constexpr int kReach = 1 << 16;
  for (int k = 1; k < kReach; ++k) {
    const unsigned* const places[] = {y + n + k, y - n - k, x + n + k, x - n - k};
    for (const unsigned* const from : places) {
      if (from == y || from[0] != first || from[1] != second || from[n - 1] != last) continue;
      y[i] = from[i];
      return;
    }
  }
}
