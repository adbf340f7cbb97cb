// cuRAND's MRG32k3a generator on the host device: the same numbers as on a GPU.
#pragma once

struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStateMRG32k3a_t = curandStateMRG32k3a;

namespace kernelbatch {
namespace random {

inline constexpr unsigned long long kMrg1 = 4294967087ull, kMrg2 = 4294944443ull;

/// A map of three numbers modulo `m`.
struct Map3 {
  unsigned long long at[3][3];
};
inline Map3 times(const Map3& a, const Map3& b, unsigned long long m) {
  Map3 result{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; ++k) sum = (sum + a.at[i][k] * b.at[k][j] % m) % m;
      result.at[i][j] = sum;
    }
  return result;
}
/// `n` times 2^`first` steps.
inline void mrg_skip(unsigned* s, Map3 step, unsigned long long m, unsigned long long n,
                     int first) {
  for (int k = 0; k < first; ++k) step = times(step, step, m);
  for (; n != 0; n >>= 1) {
    if (n & 1u) {
      unsigned next[3];
      for (int i = 0; i < 3; ++i) {
        unsigned long long sum = 0;
        for (int k = 0; k < 3; ++k) sum = (sum + step.at[i][k] * s[k] % m) % m;
        next[i] = unsigned(sum);
      }
      for (int i = 0; i < 3; ++i) s[i] = next[i];
    }
    step = times(step, step, m);
  }
}
inline void mrg_skip(curandStateMRG32k3a_t* state, unsigned long long n, int first) {
  if (n == 0) return;
  mrg_skip(state->s1, {{{0, 1, 0}, {0, 0, 1}, {kMrg1 - 810728, 1403580, 0}}}, kMrg1, n, first);
  mrg_skip(state->s2, {{{0, 1, 0}, {0, 0, 1}, {kMrg2 - 1370589, 0, 527612}}}, kMrg2, n, first);
}
/// A whole number from 1 to kMrg1.
inline unsigned mrg_next(curandStateMRG32k3a_t* state) {
  unsigned* const s1 = state->s1;
  unsigned* const s2 = state->s2;
  const unsigned long long p1 = (1403580ull * s1[1] + 810728ull * (kMrg1 - s1[0])) % kMrg1;
  const unsigned long long p2 = (527612ull * s2[2] + 1370589ull * (kMrg2 - s2[0])) % kMrg2;
  s1[0] = s1[1];
  s1[1] = s1[2];
  s1[2] = unsigned(p1);
  s2[0] = s2[1];
  s2[1] = s2[2];
  s2[2] = unsigned(p2);
  return unsigned(p1 <= p2 ? p1 + kMrg1 - p2 : p1 - p2);
}

}  // namespace random
}  // namespace kernelbatch

inline void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  kernelbatch::random::mrg_skip(state, n, 0);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  kernelbatch::random::mrg_skip(state, n, 76);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  kernelbatch::random::mrg_skip(state, n, 127);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a_t* state) {
  const unsigned long long x[2] = {unsigned(seed) ^ 0x55555555u,
                                   unsigned(seed >> 32) ^ 0xAAAAAAAAu};
  for (int k = 0; k < 3; ++k) {
    state->s1[k] = seed == 0 ? 12345u : unsigned(x[k & 1] * 12345 % kernelbatch::random::kMrg1);
    state->s2[k] =
        seed == 0 ? 12345u : unsigned(x[1 - (k & 1)] * 12345 % kernelbatch::random::kMrg2);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
inline unsigned curand(curandStateMRG32k3a_t* state) {
  return unsigned(double(kernelbatch::random::mrg_next(state)) * 1.000000048662);
}
