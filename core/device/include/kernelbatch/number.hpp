// What numbers are, for the libraries' complex types.
#pragma once

namespace kernelbatch {
namespace number {

template <class T>
struct known {
  static constexpr bool value = false;
};
#define KERNELBATCH_REAL(T)             \
  template <>                           \
  struct known<T> {                     \
    static constexpr bool value = true; \
  };
KERNELBATCH_REAL(char)
KERNELBATCH_REAL(signed char)
KERNELBATCH_REAL(unsigned char)
KERNELBATCH_REAL(short)
KERNELBATCH_REAL(unsigned short)
KERNELBATCH_REAL(int)
KERNELBATCH_REAL(unsigned)
KERNELBATCH_REAL(long)
KERNELBATCH_REAL(unsigned long)
KERNELBATCH_REAL(long long)
KERNELBATCH_REAL(unsigned long long)
KERNELBATCH_REAL(float)
KERNELBATCH_REAL(double)
#undef KERNELBATCH_REAL

template <bool Holds>
struct only {};
template <>
struct only<true> {
  using type = int;
};
/// A template's last argument, where it is for real numbers alone.
template <class T>
using if_real = typename only<known<T>::value>::type;

template <class T>
KERNELBATCH_INLINE constexpr T size(const T& x) {
  return x < T(0) ? -x : x;
}

template <class T>
KERNELBATCH_INLINE constexpr bool is_infinite(const T& x) {
  return x == x && x - x != x - x;
}

}  // namespace number
}  // namespace kernelbatch
