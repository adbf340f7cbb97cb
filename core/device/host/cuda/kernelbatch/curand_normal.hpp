// cuRAND's uniform, normal and log-normal numbers on the host device. Uniform ones are a GPU's to
// the bit; the others are as near as its sine and logarithm.
#pragma once

namespace kernelbatch {
namespace random {

inline float to_float(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
inline double to_double(unsigned x, unsigned y) {
  const unsigned long long z = x ^ static_cast<unsigned long long>(y) << 21;
  return double(z) * 0x1p-53 + 0x1p-54;
}
template <class State>
inline constexpr bool is_mrg = false;
template <>
inline constexpr bool is_mrg<curandStateMRG32k3a> = true;
template <class State>
inline constexpr bool is_philox = false;
template <>
inline constexpr bool is_philox<curandStatePhilox4_32_10> = true;

inline float2 normal_pair(float size, float angle) {
  const float s = ::sqrtf(-2.0f * ::logf(size));
  return {s * ::sinf(angle), s * ::cosf(angle)};
}
/// The angle in half turns, from 0 to 2.
inline double2 normal_pair(double size, double angle) {
  const double s = ::sqrt(-2.0 * ::log(size)), pi = 3.1415926535897932;
  // Quarters are exact, as those of sincospi.
  const int quarter = int(__builtin_rint(2 * angle));
  const double rest = (angle - 0.5 * quarter) * pi, a = ::sin(rest), b = ::cos(rest);
  const double sine[4] = {a, b, -a, -b}, cosine[4] = {b, -a, -b, a};
  return {s * sine[quarter & 3], s * cosine[quarter & 3]};
}
inline float2 normal_pair(unsigned x, unsigned y) {
  constexpr float kTurn = 2.3283064e-10f * 6.2831855f;
  return normal_pair(to_float(x), float(y) * kTurn + kTurn / 2);
}
inline double2 normal_pair(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  return normal_pair(to_double(x0, x1), 2 * to_double(y0, y1));
}

}  // namespace random
}  // namespace kernelbatch

#define KERNELBATCH_RANDOM(T, ...)                           \
  template <class State>                                     \
  requires requires(State * s) { s->boxmuller_flag_double; } \
  inline T __VA_ARGS__
KERNELBATCH_RANDOM(float, curand_uniform(State* state)) {
  if constexpr (kernelbatch::random::is_mrg<State>)
    return float(kernelbatch::random::mrg_next(state) * 2.3283065498378288e-10);
  else
    return kernelbatch::random::to_float(curand(state));
}
KERNELBATCH_RANDOM(double, curand_uniform_double(State* state)) {
  if constexpr (kernelbatch::random::is_mrg<State>) {
    return kernelbatch::random::mrg_next(state) * 2.3283065498378288e-10;
  } else if constexpr (kernelbatch::random::is_philox<State>) {
    return double(curand(state)) * 0x1p-32 + 0x1p-32;  // of 32 bits only
  } else {
    const unsigned x = curand(state);
    return kernelbatch::random::to_double(x, curand(state));
  }
}
KERNELBATCH_RANDOM(float2, curand_normal2(State* state)) {
  if constexpr (kernelbatch::random::is_mrg<State>) {
    const float x = curand_uniform(state);
    return kernelbatch::random::normal_pair(x, curand_uniform(state) * 6.2831855f);
  } else {
    const unsigned x = curand(state);
    return kernelbatch::random::normal_pair(x, curand(state));
  }
}
KERNELBATCH_RANDOM(double2, curand_normal2_double(State* state)) {
  if constexpr (kernelbatch::random::is_mrg<State>) {
    const double x = curand_uniform_double(state);
    return kernelbatch::random::normal_pair(x, curand_uniform_double(state) * 2.0);
  } else if constexpr (kernelbatch::random::is_philox<State>) {
    const uint4 x = curand4(state);
    return kernelbatch::random::normal_pair(x.x, x.y, x.z, x.w);
  } else {
    const unsigned a = curand(state), b = curand(state), c = curand(state);
    return kernelbatch::random::normal_pair(a, b, c, curand(state));
  }
}
/// Numbers come in pairs: the second is kept for the next call of the same kind.
KERNELBATCH_RANDOM(float, curand_normal(State* state)) {
  if (state->boxmuller_flag == 1) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 both = curand_normal2(state);
  state->boxmuller_extra = both.y;
  state->boxmuller_flag = 1;
  return both.x;
}
KERNELBATCH_RANDOM(double, curand_normal_double(State* state)) {
  if (state->boxmuller_flag_double == 1) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 both = curand_normal2_double(state);
  state->boxmuller_extra_double = both.y;
  state->boxmuller_flag_double = 1;
  return both.x;
}
KERNELBATCH_RANDOM(float2, curand_log_normal2(State* state, float mean, float deviation)) {
  const float2 both = curand_normal2(state);
  return {::expf(mean + deviation * both.x), ::expf(mean + deviation * both.y)};
}
KERNELBATCH_RANDOM(double2,
                   curand_log_normal2_double(State* state, double mean, double deviation)) {
  const double2 both = curand_normal2_double(state);
  return {::exp(mean + deviation * both.x), ::exp(mean + deviation * both.y)};
}
KERNELBATCH_RANDOM(float, curand_log_normal(State* state, float mean, float deviation)) {
  if (state->boxmuller_flag == 2) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  const float2 both = curand_log_normal2(state, mean, deviation);
  state->boxmuller_extra = both.y;
  state->boxmuller_flag = 2;
  return both.x;
}
KERNELBATCH_RANDOM(double, curand_log_normal_double(State* state, double mean, double deviation)) {
  if (state->boxmuller_flag_double == 2) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  const double2 both = curand_log_normal2_double(state, mean, deviation);
  state->boxmuller_extra_double = both.y;
  state->boxmuller_flag_double = 2;
  return both.x;
}
#undef KERNELBATCH_RANDOM

inline float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  using kernelbatch::random::to_float;
  return {to_float(x.x), to_float(x.y), to_float(x.z), to_float(x.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return {kernelbatch::random::to_double(x.x, x.y), kernelbatch::random::to_double(x.z, x.w)};
}
inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}
inline float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = kernelbatch::random::normal_pair(x.x, x.y);
  const float2 b = kernelbatch::random::normal_pair(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
inline double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return {a.x, a.y, b.x, b.y};
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
  const float4 x = curand_normal4(state);
  return {::expf(mean + deviation * x.x), ::expf(mean + deviation * x.y),
          ::expf(mean + deviation * x.z), ::expf(mean + deviation * x.w)};
}
