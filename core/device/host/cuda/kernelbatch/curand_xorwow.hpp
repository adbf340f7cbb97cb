// cuRAND's XORWOW generator on the host device: the same numbers as on a GPU. Jumps are powers of
// the generator's step, a linear map of its 160 bits, computed when they are first needed.
#pragma once

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;

namespace kernelbatch {
namespace random {

/// A linear map of 160 bits: the image of each.
struct BitMap {
  unsigned image[160][5];
};
inline void apply(const BitMap& map, unsigned* v) {
  unsigned result[5] = {};
  for (int word = 0; word < 5; ++word)
    for (unsigned bits = v[word]; bits != 0; bits &= bits - 1) {
      const unsigned* const image = map.image[word * 32 + __builtin_ctz(bits)];
      for (int k = 0; k < 5; ++k) result[k] ^= image[k];
    }
  for (int k = 0; k < 5; ++k) v[k] = result[k];
}
inline void xorwow_step(unsigned* v) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  for (int k = 0; k < 4; ++k) v[k] = v[k + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
/// Map k is 2^k steps: offsets are the first 64, sequences those from 67 on, for 64 more.
struct XorwowJumps {
  static constexpr int kCount = 67 + 64;
  BitMap power[kCount];
  int known, lock;
};
inline XorwowJumps& xorwow_jumps() {
  static XorwowJumps jumps;
  return jumps;
}
inline const BitMap& xorwow_jump(int which) {
  XorwowJumps& jumps = xorwow_jumps();
  if (__atomic_load_n(&jumps.known, __ATOMIC_ACQUIRE) <= which) {
    while (__atomic_exchange_n(&jumps.lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    for (int k = jumps.known; k <= which; ++k) {
      for (int bit = 0; bit < 160; ++bit) {
        unsigned* const image = jumps.power[k].image[bit];
        if (k == 0) {
          for (int word = 0; word < 5; ++word) image[word] = bit / 32 == word ? 1u << bit % 32 : 0;
          xorwow_step(image);
        } else {
          for (int word = 0; word < 5; ++word) image[word] = jumps.power[k - 1].image[bit][word];
          apply(jumps.power[k - 1], image);
        }
      }
      __atomic_store_n(&jumps.known, k + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&jumps.lock, 0, __ATOMIC_RELEASE);
  }
  return jumps.power[which];
}
inline void xorwow_skip(unsigned* v, unsigned long long n, int first) {
  for (; n != 0; n &= n - 1) apply(xorwow_jump(first + __builtin_ctzll(n)), v);
}

}  // namespace random
}  // namespace kernelbatch

inline void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  kernelbatch::random::xorwow_skip(state->v, n, 0);
  state->d += 362437u * unsigned(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  kernelbatch::random::xorwow_skip(state->v, n, 67);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned t0 = 1099087573u * (unsigned(seed) ^ 0xaad26b49u);
  const unsigned t1 = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
inline unsigned curand(curandStateXORWOW_t* state) {
  kernelbatch::random::xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}
