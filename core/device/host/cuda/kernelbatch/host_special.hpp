// Special functions that the C library lacks, for kernels on the host, under CUDA's names.
// Asked for by: erfinv* erfcinv* erfcx* normcdf* cyl_bessel_i0* cyl_bessel_i1*.
#pragma once

namespace kernelbatch {
namespace detail {

constexpr double kRootOfPi = 1.7724538509055160273;

/// exp(x²) erfc(x).
inline double scaled_erfc(double x) {
  if (x != x) return x;
  if (x < 0) {
    if (x < -27) return __builtin_inf();
    const double high = x * x;
    const double low = __builtin_fma(x, x, -high);
    const double power = __builtin_exp(high);
    if (power == __builtin_inf()) return power;
    return power * __builtin_erfc(x) + power * low * 2;
  }
  if (x < 2) {
    const double high = x * x;
    const double low = __builtin_fma(x, x, -high);
    const double value = __builtin_exp(high) * __builtin_erfc(x);
    return value + value * low;
  }
  if (x > 1e8) return 1 / kRootOfPi / x;
  // The continued fraction x + (1/2)/(x + 1/(x + (3/2)/(x + …))), from its end.
  const int count = x < 3 ? 90 : x < 6 ? 50 : 20;
  double rest = 0;  // of x + rest
  for (int k = count; k > 0; --k) rest = 0.5 * k / (x + rest);
  return 1 / (kRootOfPi * (x + rest));
}

/// y > 0 with erfc(y) = p, for p ≤ 1/2: Newton's method for y² − log(erfcx(y)) + log(p) = 0, since
/// erfc itself underflows.
inline double upper_inverse_erfc(double p) {
  if (p == 0) return __builtin_inf();
  const double log_p = __builtin_log(p);
  const double t = __builtin_sqrt(-2 * (log_p - 0.69314718055994530942));
  double y = (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) *
             0.70710678118654752440;
  for (int k = 0; k < 3; ++k) {
    const double scaled = scaled_erfc(y);
    y -= (y * y - __builtin_log(scaled) + log_p) * 0.5 * kRootOfPi * scaled;
  }
  return y;
}

/// erfinv for |x| ≤ 1/2.
inline double middle_inverse_erf(double x) {
  const double s = x * x;
  double y = x * 0.88622692545275801365 *
             (1 + s * (0.26179938779914943654 +
                       s * (0.14393173084921979 + s * (0.097663620 + s * 0.073299))));
  if (__builtin_fabs(x) < 1e-12) return y;
  for (int k = 0; k < 3; ++k) y -= (__builtin_erf(y) - x) * 0.5 * kRootOfPi * __builtin_exp(y * y);
  return y;
}

inline double inverse_erf(double x) {
  const double size = __builtin_fabs(x);
  if (!(size <= 1)) return __builtin_nan("");
  if (size <= 0.5) return middle_inverse_erf(x);
  return __builtin_copysign(upper_inverse_erfc(1 - size), x);
}
inline double inverse_erfc(double x) {
  if (!(x >= 0 && x <= 2)) return __builtin_nan("");
  if (x < 0.5) return upper_inverse_erfc(x);
  if (x > 1.5) return -upper_inverse_erfc(2 - x);
  return middle_inverse_erf(1 - x);
}

inline double normal_distribution(double x) {
  if (x < -39) return 0;
  if (x > 9) return 1;
  const double root = 0.70710678118654752440, rest = -4.8336466567264567e-17;
  const double y = -x * root;
  const double error = __builtin_fma(-x, root, -y) - x * rest;
  // erfc(y + error), to first order.
  return 0.5 * (__builtin_erfc(y) - error * 2 / kRootOfPi * __builtin_exp(-y * y));
}
/// −√2 erfcinv(2p), the factor in two parts.
inline double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return __builtin_nan("");
  const double y = p < 0.25   ? upper_inverse_erfc(2 * p)
                   : p > 0.75 ? -upper_inverse_erfc(2 * (1 - p))
                              : middle_inverse_erf(1 - 2 * p);
  return -1.41421356237309504880 * y;
}

/// Modified Bessel functions of the first kind, of order 0 and 1: their series, the trapezoidal
/// rule for their integral over a period (all but exact for periodic integrands), and their
/// expansion for large arguments.
inline double bessel_i(int order, double value) {
  const double x = __builtin_fabs(value);
  double result;
  if (x != x) return x;
  if (x <= 2) {
    const double quarter = 0.25 * x * x;
    double term = 1, sum = 0;
    for (int k = 1; k < 16; ++k) {
      term *= quarter / (static_cast<double>(k) * (k + order));
      sum += term;
    }
    result = (1 + sum) * (order == 1 ? 0.5 * x : 1);
  } else if (x < 30) {
    // 1 − cos θ at 1 to 29 sixtieths of the period.
    static constexpr double kDepths[] = {0.005478104631726663,
                                         0.021852399266194363,
                                         0.04894348370484643,
                                         0.0864545423573991,
                                         0.13397459621556135,
                                         0.19098300562505258,
                                         0.25685517452260576,
                                         0.33086939364114176,
                                         0.41221474770752686,
                                         0.5,
                                         0.5932633569241998,
                                         0.6909830056250525,
                                         0.7920883091822407,
                                         0.8954715367323465,
                                         1.0,
                                         1.1045284632676535,
                                         1.2079116908177594,
                                         1.3090169943749475,
                                         1.4067366430758002,
                                         1.5,
                                         1.5877852522924731,
                                         1.6691306063588582,
                                         1.7431448254773942,
                                         1.8090169943749475,
                                         1.8660254037844386,
                                         1.913545457642601,
                                         1.9510565162951536,
                                         1.9781476007338057,
                                         1.9945218953682733};
    double sum = 0.5 * __builtin_exp(-2 * x);
    if (order == 1) sum = -sum;
    for (int k = 28; k >= 0; --k) {
      const double part = __builtin_exp(-x * kDepths[k]);
      sum += order == 1 ? part * (1 - kDepths[k]) : part;
    }
    sum += 0.5;
    result = __builtin_exp(x) * sum / 30;
  } else if (x > 720) {
    result = __builtin_inf();
  } else {
    const double four = order == 1 ? 4 : 0;
    double term = 1, sum = 0;
    for (int k = 1; k < 30; ++k) {
      const double odd = 2 * k - 1;
      term *= (odd * odd - four) / (8 * k * x);
      sum += term;
    }
    // In two halves: exp(x) overflows before the function does.
    const double half = __builtin_exp(0.5 * x);
    result = half * ((1 + sum) / __builtin_sqrt(6.28318530717958647693 * x)) * half;
  }
  return order == 1 ? __builtin_copysign(result, value) : result;
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_SPECIAL(name, expression)                                                     \
  inline double name(double x) { return kernelbatch::detail::expression; }                        \
  inline float name(float value) { return static_cast<float>(name(static_cast<double>(value))); } \
  inline float name##f(float value) { return name(value); }
KERNELBATCH_SPECIAL(erfcx, scaled_erfc(x))
KERNELBATCH_SPECIAL(erfinv, inverse_erf(x))
KERNELBATCH_SPECIAL(erfcinv, inverse_erfc(x))
KERNELBATCH_SPECIAL(normcdf, normal_distribution(x))
KERNELBATCH_SPECIAL(normcdfinv, normal_quantile(x))
KERNELBATCH_SPECIAL(cyl_bessel_i0, bessel_i(0, x))
KERNELBATCH_SPECIAL(cyl_bessel_i1, bessel_i(1, x))
#undef KERNELBATCH_SPECIAL
