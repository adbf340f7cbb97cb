// Functions of complex numbers beyond those of common.hpp. Included where a kernel has to do with
// complex numbers.
#pragma once

namespace kernelbatch {

/// Principal values; branch cuts along the negative real axis.
template <class T>
KERNELBATCH_INLINE complex<T> log(const complex<T>& z) {
  return {::log(abs(z)), arg(z)};
}
template <class T>
KERNELBATCH_INLINE complex<T> log10(const complex<T>& z) {
  constexpr T kScale = T(0.43429448190325182765);
  return {::log10(abs(z)), arg(z) * kScale};
}
template <class T>
KERNELBATCH_INLINE complex<T> sqrt(const complex<T>& z) {
  const T size = abs(z);
  if (size == T(0)) return {T(0), z.im};
  // The part that does not cancel, and the other one from it.
  const T half = ::sqrt(T(0.5) * size + T(0.5) * ::fabs(z.re));
  const T other = ::fabs(z.im) / (T(2) * half);
  return z.re >= T(0) ? complex<T>(half, ::copysign(other, z.im))
                      : complex<T>(other, ::copysign(half, z.im));
}
template <class T>
KERNELBATCH_INLINE complex<T> pow(const complex<T>& z, const complex<T>& exponent) {
  if (z == complex<T>(T(0)))
    return exponent == complex<T>(T(0)) ? complex<T>(T(1)) : complex<T>(T(0));
  return exp(exponent * log(z));
}
template <class T>
KERNELBATCH_INLINE complex<T> pow(const complex<T>& z, T exponent) {
  return pow(z, complex<T>(exponent));
}
template <class T>
KERNELBATCH_INLINE complex<T> pow(T base, const complex<T>& exponent) {
  return pow(complex<T>(base), exponent);
}
template <class T>
KERNELBATCH_INLINE complex<T> pow(const complex<T>& z, int exponent) {
  unsigned left = exponent < 0 ? 0u - unsigned(exponent) : unsigned(exponent);
  complex<T> result(T(1)), square = z;
  for (; left != 0; left >>= 1) {
    if (left & 1u) result = result * square;
    square = square * square;
  }
  return exponent < 0 ? complex<T>(T(1)) / result : result;
}
template <class T>
KERNELBATCH_INLINE complex<T> sinh(const complex<T>& z) {
  return {::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im)};
}
template <class T>
KERNELBATCH_INLINE complex<T> cosh(const complex<T>& z) {
  return {::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im)};
}
template <class T>
KERNELBATCH_INLINE complex<T> tanh(const complex<T>& z) {
  // Beyond this the real part is 1 to the last bit, and cosh would overflow.
  if (::fabs(z.re) > T(22))
    return {::copysign(T(1), z.re), T(2) * ::sin(T(2) * z.im) * ::exp(T(-2) * ::fabs(z.re))};
  const T divisor = ::cosh(T(2) * z.re) + ::cos(T(2) * z.im);
  return {::sinh(T(2) * z.re) / divisor, ::sin(T(2) * z.im) / divisor};
}
template <class T>
KERNELBATCH_INLINE complex<T> sin(const complex<T>& z) {
  return {::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im)};
}
template <class T>
KERNELBATCH_INLINE complex<T> cos(const complex<T>& z) {
  return {::cos(z.re) * ::cosh(z.im), -(::sin(z.re) * ::sinh(z.im))};
}
template <class T>
KERNELBATCH_INLINE complex<T> tan(const complex<T>& z) {
  const complex<T> turned = tanh(complex<T>(-z.im, z.re));
  return {turned.im, -turned.re};
}

}  // namespace kernelbatch
