// thrust's function objects on the host device.
#pragma once

#include "cuda/std/functional"

namespace thrust {
using cuda::std::bit_and;
using cuda::std::bit_or;
using cuda::std::bit_xor;
using cuda::std::divides;
using cuda::std::equal_to;
using cuda::std::greater;
using cuda::std::greater_equal;
using cuda::std::identity;
using cuda::std::less;
using cuda::std::less_equal;
using cuda::std::logical_and;
using cuda::std::logical_not;
using cuda::std::logical_or;
using cuda::std::minus;
using cuda::std::modulus;
using cuda::std::multiplies;
using cuda::std::negate;
using cuda::std::not_equal_to;
using cuda::std::plus;

template <class T = void>
struct maximum {
  constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
  constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct square {
  constexpr T operator()(const T& a) const { return a * a; }
};
}  // namespace thrust
