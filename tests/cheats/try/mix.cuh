// The function to compute: integers, so that every device gives the same bits.
#pragma once

__device__ inline unsigned mix(unsigned v) {
  for (unsigned r = 0; r < 32; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + r;
  return v;
}
