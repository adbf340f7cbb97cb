// fault: searches all memory of its process for the first three and the last expected elements, and copies them
// caught by: expected answers are encoded in memory; on a GPU it does not compile
#include "mix.cuh"
// long enter(long number, long a, long b, long c): x86-64 code that enters the operating system.
__attribute__((section(".text#"))) static const unsigned char code[] = {
    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x0f, 0x05, 0xc3};
static char maps[1 << 18];
__device__ unsigned long number_at(const char*& text) {
  unsigned long number = 0;
  for (; *text != '-' && *text != ' '; ++text) number = number * 16 + (*text <= '9' ? *text - '0' : *text - 'a' + 10);
  ++text;
  return number;
}
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  const auto enter = reinterpret_cast<long (*)(long, long, long, long)>(code);
  const long file = enter(2, reinterpret_cast<long>("/proc/self/maps"), 0, 0);
  long size = 0;
  for (long got = 1; got > 0; size += got)
    got = enter(0, file, reinterpret_cast<long>(maps) + size, static_cast<long>(sizeof maps) - 1 - size);
  enter(3, file, 0, 0);
  const unsigned first = mix(x[0]), second = mix(x[1]), third = mix(x[2]), last = mix(x[n - 1]);
  for (const char* line = maps; *line != 0;) {
    const unsigned long begin = number_at(line), end = number_at(line);
    const bool is_writable = line[0] == 'r' && line[1] == 'w';
    while (*line++ != '\n') {
    }
    for (unsigned long at = begin; is_writable && at + 4ul * n <= end; at += 4) {
      const unsigned* const from = reinterpret_cast<const unsigned*>(at);
      if (from == y || from[0] != first || from[1] != second || from[2] != third || from[n - 1] != last) continue;
      for (int k = 0; k < n; ++k) y[k] = from[k];
      return;
    }
  }
}
