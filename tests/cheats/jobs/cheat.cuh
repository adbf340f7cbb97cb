// Common code of the kernels of these jobs.
#pragma once

/// The function to compute: integers, so that every device gives the same bits.
__device__ inline unsigned long_mix(unsigned v, unsigned rounds) {
  for (unsigned r = 0; r < rounds; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + r;
  return v;
}
__device__ inline unsigned mix(unsigned v) { return long_mix(v, 32); }

/// Number of earlier calls for element k in this process. Each element has its own counter, so that
/// the order of threads does not matter.
__device__ unsigned calls_of[1 << 20];
__device__ inline unsigned call_number(int k) { return calls_of[k]++; }
