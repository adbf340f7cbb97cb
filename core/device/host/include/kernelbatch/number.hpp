// What numbers are, for the libraries' complex types.
#pragma once

namespace kernelbatch {
namespace number {
template <class T>
inline constexpr bool is_real = detail::is_integer<T>::value;
template <>
inline constexpr bool is_real<float> = true;
template <>
inline constexpr bool is_real<double> = true;
template <class T>
inline constexpr T size(const T& x) {
  return x < T(0) ? -x : x;
}
}  // namespace number
}  // namespace kernelbatch
