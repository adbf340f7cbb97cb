// cuRAND's Poisson numbers on the host device, by a GPU's methods.
#pragma once

namespace kernelbatch {
namespace random {

/// Rejection under an approximate inverse of the incomplete gamma function.
struct PoissonCurve {
  float lambda, slope, shift;
  explicit PoissonCurve(float mean)
      : lambda(mean),
        slope(1.43248035075540910f / ::sqrtf(mean - 0.12400979329415655f) + 0.00025361074907033f),
        shift(0.21096734870196546f / ::sqrtf(mean - 1.97381164089999420f) + 0.94201734077887530f) {}
  float below(float x) const {
    const float t = 1.0f + ::expf(slope * (lambda - x) - shift);
    return 1.0f / (t * t);
  }
  float inverse(float y) const {
    const float t = shift + ::logf(1.0f / ::sqrtf(y) - 1.0f);
    return -t * (1.0f / slope) + lambda;
  }
};
/// log((n−1)!)
inline double log_gamma(int n) {
  if (n <= 9) {
    double product = 1;
    for (int k = 2; k < n; ++k) product *= k;
    return ::log(product);
  }
  const double s = 1.0 / n, t = s * s;
  double sum = -0.1633436431e-2;
  sum = sum * t + 0.83645878922e-3;
  sum = sum * t - 0.5951896861197e-3;
  sum = sum * t + 0.793650576493454e-3;
  sum = sum * t - 0.277777777735865004e-2;
  sum = sum * t + 0.833333333333331018375e-1;
  sum = sum * s + 0.918938533204672;
  return (::log(double(n)) * (n - 0.5) - n) + sum;
}

template <class State>
inline unsigned poisson_small(State* state, float lambda) {
  unsigned k = 0;
  float p = ::expf(lambda);
  do {
    ++k;
    p *= curand_uniform(state);
  } while (p > 1.0f);
  return k - 1;
}
template <class State>
inline unsigned poisson_middle(State* state, float lambda) {
  const PoissonCurve curve(lambda);
  const float log_lambda = ::logf(lambda);
  for (;;) {
    const float x = ::floorf(curve.inverse(curand_uniform(state)));
    const float v = (curve.below(x + 1.0f) - curve.below(x)) * 1.3f;
    const float z = curand_uniform(state) * v;
    const float t = ::expf(-lambda + x * log_lambda - float(log_gamma(int(1.0f + x))));
    if (z < t && v >= 1e-20) return unsigned(x);
  }
}
inline unsigned poisson_large(double normal, double lambda) {
  return unsigned(::sqrt(lambda) * normal + lambda + 0.5);
}

}  // namespace random
}  // namespace kernelbatch

template <class State>
requires requires(State* s) { s->boxmuller_flag_double; }
inline unsigned curand_poisson(State* state, double lambda) {
  using namespace kernelbatch::random;
  if (lambda < 64) return poisson_small(state, float(lambda));
  if (lambda > 4000) return poisson_large(curand_normal_double(state), lambda);
  return poisson_middle(state, float(lambda));
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  using namespace kernelbatch::random;
  uint4 result;
  if (lambda > 4000) {
    const double4 x = curand_normal4_double(state);
    return {poisson_large(x.x, lambda), poisson_large(x.y, lambda), poisson_large(x.z, lambda),
            poisson_large(x.w, lambda)};
  }
  unsigned* const all[4] = {&result.x, &result.y, &result.z, &result.w};
  for (unsigned* one : all)
    *one = lambda < 64 ? poisson_small(state, float(lambda)) : poisson_middle(state, float(lambda));
  return result;
}
