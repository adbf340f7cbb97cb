// A complex number and its functions, for the namespaces that have one of their own: included in
// each of them. No #pragma once.

template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
#ifdef KERNELBATCH_PLAIN_COMPLEX
  // May stand in shared memory.
  complex() = default;
#else
  KERNELBATCH_INLINE constexpr complex() : re_(), im_() {}
#endif
  KERNELBATCH_INLINE constexpr complex(const T& re) : re_(re), im_() {}
  KERNELBATCH_INLINE constexpr complex(const T& re, const T& im) : re_(re), im_(im) {}
  template <class A, class B>
  KERNELBATCH_INLINE constexpr complex(const A& re, const B& im) : re_(T(re)), im_(T(im)) {}
  constexpr complex(const complex&) = default;
  template <class U>
  KERNELBATCH_INLINE constexpr complex(const complex<U>& other)
      : re_(T(other.real())), im_(T(other.imag())) {}
  constexpr complex& operator=(const complex&) = default;
  KERNELBATCH_INLINE constexpr complex& operator=(const T& re) {
    re_ = re;
    im_ = T();
    return *this;
  }
  template <class U>
  KERNELBATCH_INLINE constexpr complex& operator=(const complex<U>& other) {
    return *this = complex(other);
  }
  KERNELBATCH_INLINE constexpr T real() const { return re_; }
  KERNELBATCH_INLINE constexpr T imag() const { return im_; }
  KERNELBATCH_INLINE constexpr void real(T re) { re_ = re; }
  KERNELBATCH_INLINE constexpr void imag(T im) { im_ = im; }
  template <class U>
  KERNELBATCH_INLINE constexpr complex& operator+=(const U& b) {
    return *this = *this + complex(b);
  }
  template <class U>
  KERNELBATCH_INLINE constexpr complex& operator-=(const U& b) {
    return *this = *this - complex(b);
  }
  template <class U>
  KERNELBATCH_INLINE constexpr complex& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <class U>
  KERNELBATCH_INLINE constexpr complex& operator/=(const U& b) {
    return *this = *this / b;
  }

 private:
  T re_, im_;
};

#define KERNELBATCH_MIXED(result) \
  template <class A, class B>     \
  KERNELBATCH_INLINE constexpr complex<decltype(A() + B())> result
KERNELBATCH_MIXED(operator+)(const complex<A>& a, const complex<B>& b) {
  return {a.real() + b.real(), a.imag() + b.imag()};
}
KERNELBATCH_MIXED(operator-)(const complex<A>& a, const complex<B>& b) {
  return {a.real() - b.real(), a.imag() - b.imag()};
}
KERNELBATCH_MIXED(operator*)(const complex<A>& a, const complex<B>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// Scaled by the larger part of the divisor: no overflow where the quotient itself fits.
KERNELBATCH_MIXED(operator/)(const complex<A>& a, const complex<B>& b) {
  using T = decltype(A() + B());
  const T scale = T(::kernelbatch::number::size(b.real()) + ::kernelbatch::number::size(b.imag()));
  const T ar = T(a.real()) / scale, ai = T(a.imag()) / scale;
  const T br = T(b.real()) / scale, bi = T(b.imag()) / scale;
  const T norm = br * br + bi * bi;
  return {(ar * br + ai * bi) / norm, (ai * br - ar * bi) / norm};
}
#undef KERNELBATCH_MIXED
#define KERNELBATCH_MIXED(symbol, with_left, with_right)                                           \
  template <class A, class B, ::kernelbatch::number::if_real<B> = 0>                               \
  KERNELBATCH_INLINE constexpr complex<decltype(A() + B())> operator symbol(const complex<A>& a,   \
                                                                            const B& b) {          \
    return with_right;                                                                             \
  }                                                                                                \
  template <class A, class B, ::kernelbatch::number::if_real<A> = 0>                               \
  KERNELBATCH_INLINE constexpr complex<decltype(A() + B())> operator symbol(const A& a,            \
                                                                            const complex<B>& b) { \
    return with_left;                                                                              \
  }
KERNELBATCH_MIXED(+, (complex<decltype(A() + B())>(a + b.real(), b.imag())),
                  (complex<decltype(A() + B())>(a.real() + b, a.imag())))
KERNELBATCH_MIXED(-, (complex<decltype(A() + B())>(a - b.real(), -b.imag())),
                  (complex<decltype(A() + B())>(a.real() - b, a.imag())))
KERNELBATCH_MIXED(*, (complex<decltype(A() + B())>(a * b.real(), a* b.imag())),
                  (complex<decltype(A() + B())>(a.real() * b, a.imag() * b)))
KERNELBATCH_MIXED(/, (complex<A>(a) / b),
                  (complex<decltype(A() + B())>(a.real() / b, a.imag() / b)))
#undef KERNELBATCH_MIXED
template <class T>
KERNELBATCH_INLINE constexpr complex<T> operator-(const complex<T>& z) {
  return {-z.real(), -z.imag()};
}
template <class T>
KERNELBATCH_INLINE constexpr complex<T> operator+(const complex<T>& z) {
  return z;
}
template <class A, class B>
KERNELBATCH_INLINE constexpr bool operator==(const complex<A>& a, const complex<B>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class A, class B, ::kernelbatch::number::if_real<B> = 0>
KERNELBATCH_INLINE constexpr bool operator==(const complex<A>& a, const B& b) {
  return a.real() == b && a.imag() == A(0);
}

#define KERNELBATCH_OF(T, ...) \
  template <class T>           \
  KERNELBATCH_INLINE __VA_ARGS__
KERNELBATCH_OF(T, constexpr T real(const complex<T>& z)) { return z.real(); }
KERNELBATCH_OF(T, constexpr T imag(const complex<T>& z)) { return z.imag(); }
KERNELBATCH_OF(T, T abs(const complex<T>& z)) { return ::hypot(z.real(), z.imag()); }
KERNELBATCH_OF(T, T arg(const complex<T>& z)) { return ::atan2(z.imag(), z.real()); }
KERNELBATCH_OF(T, constexpr T norm(const complex<T>& z)) {
  return z.real() * z.real() + z.imag() * z.imag();
}
KERNELBATCH_OF(T, constexpr complex<T> conj(const complex<T>& z)) { return {z.real(), -z.imag()}; }
KERNELBATCH_OF(T, complex<T> proj(const complex<T>& z)) {
  if (!::kernelbatch::number::is_infinite(z.real()) &&
      !::kernelbatch::number::is_infinite(z.imag()))
    return z;
  return {T(1) / T(0), T(::copysign(T(0), z.imag()))};
}
template <class A, class B = A>
KERNELBATCH_INLINE complex<decltype(A() + B())> polar(const A& size, const B& angle = B()) {
  return {size * ::cos(angle), size * ::sin(angle)};
}
KERNELBATCH_OF(T, complex<T> exp(const complex<T>& z)) {
  return polar(T(::exp(z.real())), z.imag());
}
KERNELBATCH_OF(T, complex<T> log(const complex<T>& z)) { return {::log(abs(z)), arg(z)}; }
KERNELBATCH_OF(T, complex<T> log10(const complex<T>& z)) {
  return log(z) / T(2.30258509299404568402);
}
KERNELBATCH_OF(T, complex<T> sqrt(const complex<T>& z)) {
  const T size = abs(z);
  if (size == T(0)) return {T(0), z.imag()};
  // The part that does not cancel, and the other one from it.
  const T half = ::sqrt(T(0.5) * size + T(0.5) * ::fabs(z.real()));
  const T other = ::fabs(z.imag()) / (T(2) * half);
  return z.real() >= T(0) ? complex<T>(half, ::copysign(other, z.imag()))
                          : complex<T>(other, ::copysign(half, z.imag()));
}
template <class A, class B>
KERNELBATCH_INLINE auto pow(const complex<A>& z, const complex<B>& exponent) {
  using T = decltype(A() + B());
  return exp(complex<T>(exponent) * log(complex<T>(z)));
}
template <class A, class B, ::kernelbatch::number::if_real<B> = 0>
KERNELBATCH_INLINE auto pow(const complex<A>& z, const B& exponent) {
  return pow(z, complex<decltype(A() + B())>(exponent));
}
template <class A, class B, ::kernelbatch::number::if_real<A> = 0>
KERNELBATCH_INLINE auto pow(const A& base, const complex<B>& exponent) {
  return pow(complex<decltype(A() + B())>(base), exponent);
}
KERNELBATCH_OF(T, complex<T> sinh(const complex<T>& z)) {
  return {::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag())};
}
KERNELBATCH_OF(T, complex<T> cosh(const complex<T>& z)) {
  return {::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag())};
}
KERNELBATCH_OF(T, complex<T> tanh(const complex<T>& z)) {
  // Beyond this the real part is 1 to the last bit, and cosh would overflow.
  const T re = z.real(), im = z.imag();
  if (::fabs(re) > T(22))
    return {::copysign(T(1), re), T(2) * ::sin(T(2) * im) * ::exp(T(-2) * ::fabs(re))};
  const T divisor = ::cosh(T(2) * re) + ::cos(T(2) * im);
  return {::sinh(T(2) * re) / divisor, ::sin(T(2) * im) / divisor};
}
KERNELBATCH_OF(T, complex<T> turned(const complex<T>& z)) { return {-z.imag(), z.real()}; }
KERNELBATCH_OF(T, complex<T> turned_back(const complex<T>& z)) { return {z.imag(), -z.real()}; }
KERNELBATCH_OF(T, complex<T> sin(const complex<T>& z)) { return turned_back(sinh(turned(z))); }
KERNELBATCH_OF(T, complex<T> cos(const complex<T>& z)) { return cosh(turned(z)); }
KERNELBATCH_OF(T, complex<T> tan(const complex<T>& z)) { return turned_back(tanh(turned(z))); }
KERNELBATCH_OF(T, complex<T> asin(const complex<T>& z)) {
  const complex<T> minus = sqrt(complex<T>(T(1)) - z), plus = sqrt(complex<T>(T(1)) + z);
  return {::atan2(z.real(), (minus * plus).real()), ::asinh((conj(minus) * plus).imag())};
}
KERNELBATCH_OF(T, complex<T> asinh(const complex<T>& z)) { return turned_back(asin(turned(z))); }
KERNELBATCH_OF(T, complex<T> acos(const complex<T>& z)) {
  const complex<T> minus = sqrt(complex<T>(T(1)) - z), plus = sqrt(complex<T>(T(1)) + z);
  return {T(2) * ::atan2(minus.real(), plus.real()), ::asinh((conj(plus) * minus).imag())};
}
KERNELBATCH_OF(T, complex<T> acosh(const complex<T>& z)) {
  const complex<T> minus = sqrt(z - complex<T>(T(1))), plus = sqrt(z + complex<T>(T(1)));
  return {::asinh((conj(minus) * plus).real()), T(2) * ::atan2(minus.imag(), plus.real())};
}
KERNELBATCH_OF(T, complex<T> atanh(const complex<T>& z)) {
  const T re = z.real(), im = z.imag(), square = im * im;
  const T near = (T(1) - re) * (T(1) - re) + square;
  return {T(0.25) * ::log1p(T(4) * re / near),
          T(0.5) * ::atan2(T(2) * im, (T(1) - re) * (T(1) + re) - square)};
}
KERNELBATCH_OF(T, complex<T> atan(const complex<T>& z)) { return turned_back(atanh(turned(z))); }
#undef KERNELBATCH_OF
