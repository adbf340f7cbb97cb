// Bessel functions of the first and second kind for kernels on the host, under CUDA's names; apart
// from others, since kernels have variables called y0 and y1.
//
// Asked for by: j0 j0f j1 j1f jn jnf y0 y0f y1 y1f yn ynf.
#pragma once

#ifdef KERNELBATCH_STANDARD_HEADERS
extern "C" double j0(double) noexcept;
extern "C" double j1(double) noexcept;
extern "C" double jn(int, double) noexcept;
extern "C" double y0(double) noexcept;
extern "C" double y1(double) noexcept;
extern "C" double yn(int, double) noexcept;
#else
extern "C" double __kernelbatch_c_j0(double) noexcept __asm__("j0");
extern "C" double __kernelbatch_c_j1(double) noexcept __asm__("j1");
extern "C" double __kernelbatch_c_jn(int, double) noexcept __asm__("jn");
extern "C" double __kernelbatch_c_y0(double) noexcept __asm__("y0");
extern "C" double __kernelbatch_c_y1(double) noexcept __asm__("y1");
extern "C" double __kernelbatch_c_yn(int, double) noexcept __asm__("yn");
namespace kernelbatch {
namespace detail {

/// A zero in two parts, and the derivative there.
struct bessel_zero {
  double place, rest, slope;
};
/// The function of order 0 or 1 near one of its zeros, where the C library's has no bits left: its
/// Taylor series, from the differential equation.
inline double near_zero(int order, double x, const bessel_zero& zero) {
  const double z = zero.place, h = (x - z) - zero.rest;
  double before = 0, last = 0, now = 0, next = zero.slope;  // of n − 2, n − 1, n, n + 1
  double power = h, sum = 0;
  for (int n = 0; n < 30; ++n) {
    const double after = -(z * (n + 1) * (2 * n + 1) * next +
                           (n * n + z * z - order * order) * now + 2 * z * last + before) /
                         (z * z * (n + 1) * (n + 2));
    before = last;
    last = now;
    now = next;
    next = after;
    power *= h;
    sum += after * power;
  }
  return __builtin_fma(zero.slope, h, sum);
}
template <int Count>
inline const bessel_zero* zero_near(double x, const bessel_zero (&zeros)[Count]) {
  for (const bessel_zero& zero : zeros)
    if (__builtin_fabs(x - zero.place) < 0.25) return &zero;
  return nullptr;
}
constexpr bessel_zero kZerosOfJ0[] = {
    {2.404825557695773, -1.176691651530894e-16, -0.5191474972894667},
    {5.520078110286311, 8.088597146146722e-17, 0.34026480655836816}};
constexpr bessel_zero kZerosOfJ1[] = {
    {3.8317059702075125, -1.5269184090088067e-16, -0.402759395702553},
    {7.015586669815619, -9.414165653410389e-17, 0.30011575252613254}};
constexpr bessel_zero kZerosOfY0[] = {
    {0.8935769662791675, 2.6596231539720385e-17, 0.8794208024971948},
    {3.957678419314858, -1.0764340697562706e-16, -0.40254267177502423},
    {7.086051060301773, -8.835285723085408e-17, 0.3000976149104752}};
constexpr bessel_zero kZerosOfY1[] = {
    {2.197141326031017, -4.8259835876454966e-17, 0.5207864124022675},
    {5.429681040794135, 4.162514026670377e-16, -0.3403180455234406}};

}  // namespace detail
}  // namespace kernelbatch

KERNELBATCH_INSTEAD double j0(double x) noexcept {
  const auto* zero =
      kernelbatch::detail::zero_near(__builtin_fabs(x), kernelbatch::detail::kZerosOfJ0);
  return zero != nullptr ? kernelbatch::detail::near_zero(0, __builtin_fabs(x), *zero)
                         : __kernelbatch_c_j0(x);
}
KERNELBATCH_INSTEAD double j1(double x) noexcept {
  const auto* zero =
      kernelbatch::detail::zero_near(__builtin_fabs(x), kernelbatch::detail::kZerosOfJ1);
  if (zero == nullptr) return __kernelbatch_c_j1(x);
  const double value = kernelbatch::detail::near_zero(1, __builtin_fabs(x), *zero);
  return x < 0 ? -value : value;
}
KERNELBATCH_INSTEAD double y0(double x) noexcept {
  const auto* zero = kernelbatch::detail::zero_near(x, kernelbatch::detail::kZerosOfY0);
  return zero != nullptr ? kernelbatch::detail::near_zero(0, x, *zero) : __kernelbatch_c_y0(x);
}
KERNELBATCH_INSTEAD double y1(double x) noexcept {
  const auto* zero = kernelbatch::detail::zero_near(x, kernelbatch::detail::kZerosOfY1);
  return zero != nullptr ? kernelbatch::detail::near_zero(1, x, *zero) : __kernelbatch_c_y1(x);
}
KERNELBATCH_INSTEAD double jn(int n, double x) noexcept { return __kernelbatch_c_jn(n, x); }
KERNELBATCH_INSTEAD double yn(int n, double x) noexcept { return __kernelbatch_c_yn(n, x); }

// In double: the C library's own for floats are less exact than CUDA's.
KERNELBATCH_INSTEAD float j0f(float x) noexcept {
  return static_cast<float>(j0(static_cast<double>(x)));
}
KERNELBATCH_INSTEAD float j1f(float x) noexcept {
  return static_cast<float>(j1(static_cast<double>(x)));
}
KERNELBATCH_INSTEAD float jnf(int n, float x) noexcept {
  return static_cast<float>(jn(n, static_cast<double>(x)));
}
KERNELBATCH_INSTEAD float y0f(float x) noexcept {
  return static_cast<float>(y0(static_cast<double>(x)));
}
KERNELBATCH_INSTEAD float y1f(float x) noexcept {
  return static_cast<float>(y1(static_cast<double>(x)));
}
KERNELBATCH_INSTEAD float ynf(int n, float x) noexcept {
  return static_cast<float>(yn(n, static_cast<double>(x)));
}
KERNELBATCH_INLINE float j0(float x) { return j0f(x); }
KERNELBATCH_INLINE float j1(float x) { return j1f(x); }
KERNELBATCH_INLINE float jn(int n, float x) { return jnf(n, x); }
KERNELBATCH_INLINE float y0(float x) { return y0f(x); }
KERNELBATCH_INLINE float y1(float x) { return y1f(x); }
KERNELBATCH_INLINE float yn(int n, float x) { return ynf(n, x); }
#endif
