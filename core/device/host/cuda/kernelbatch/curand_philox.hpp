// cuRAND's Philox4_32_10 generator on the host device: the same numbers as on a GPU.
#pragma once

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace kernelbatch {
namespace random {

inline uint4 philox(uint4 at, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * at.x, b = 0xCD9E8D57ull * at.z;
    at = {unsigned(b >> 32) ^ at.y ^ key.x, unsigned(b), unsigned(a >> 32) ^ at.w ^ key.y,
          unsigned(a)};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return at;
}
/// Adds to the counter, or to its upper half, which counts sequences.
inline void count_on(uint4& counter, unsigned long long by, bool is_sequence) {
  unsigned long long low = static_cast<unsigned long long>(counter.y) << 32 | counter.x;
  unsigned long long high = static_cast<unsigned long long>(counter.w) << 32 | counter.z;
  if (is_sequence) {
    high += by;
  } else {
    low += by;
    if (low < by) ++high;
  }
  counter = {unsigned(low), unsigned(low >> 32), unsigned(high), unsigned(high >> 32)};
}

}  // namespace random
}  // namespace kernelbatch

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += unsigned(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  kernelbatch::random::count_on(state->ctr, n, false);
  state->output = kernelbatch::random::philox(state->ctr, state->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  kernelbatch::random::count_on(state->ctr, n, true);
  state->output = kernelbatch::random::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {unsigned(seed), unsigned(seed >> 32)};
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
inline unsigned curand(curandStatePhilox4_32_10_t* state) {
  const unsigned all[4] = {state->output.x, state->output.y, state->output.z, state->output.w};
  const unsigned result = all[state->STATE & 3];
  if (++state->STATE == 4) {
    kernelbatch::random::count_on(state->ctr, 1, false);
    state->output = kernelbatch::random::philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return result;
}
inline uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 before = state->output;
  kernelbatch::random::count_on(state->ctr, 1, false);
  state->output = kernelbatch::random::philox(state->ctr, state->key);
  const uint4& after = state->output;
  switch (state->STATE) {
    case 1:
      return {before.y, before.z, before.w, after.x};
    case 2:
      return {before.z, before.w, after.x, after.y};
    case 3:
      return {before.w, after.x, after.y, after.z};
    default:
      return before;
  }
}
