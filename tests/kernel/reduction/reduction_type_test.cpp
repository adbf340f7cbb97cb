// ReductionKernel: all dtypes.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;

template <class T>
double as_number(T value) {
  if constexpr (ReducedFloat<T>)
    return static_cast<double>(to_float(value));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(value.real());
}

TEST_CASE("Every dtype sums along rows, columns and all axes") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "T(0)",
                             .name = "sum_of_any"}};
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    if (dtype == DType::kBool) continue;
    // Sums stay at most 126, which is exact in every dtype.
    const Array x = to_device(arange(dtype, {3, 7}, 0, 1).reshape({3, 7}), stream());
    const Array ones = to_device(arange(dtype, {3, 37}, 1, 0), stream());
    dispatch(dtype, [&](auto zero) {
      using T = decltype(zero);
      INFO(name_of(dtype));
      CHECK(as_number<T>(values_of<T>(sum.over({1})(stream(), x)[0])[0]) == 21);
      CHECK(as_number<T>(values_of<T>(sum.over({0})(stream(), x)[0])[6]) == 39);
      CHECK(as_number<T>(values_of<T>(sum(stream(), ones)[0])[0]) == 111);
      CHECK(as_number<T>(values_of<T>(sum.over({1})(stream(), ones.slice(1, 1, 35, 1))[0])[2]) ==
            35);
    });
  }
}

TEST_CASE("Large integers of every width wrap as the C type does") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "wrapping_sum"}};
  const Array x = device_array(std::vector<std::uint8_t>(100003, 1));
  CHECK(values_of<std::uint8_t>(sum(stream(), x)[0])[0] == 100003 % 256);
  const Array y = device_array(std::vector<std::uint16_t>(100003, 3));
  CHECK(values_of<std::uint16_t>(sum(stream(), y)[0])[0] == 300009 % 65536);
}

TEST_CASE("Booleans are reduced with logic") {
  const ReductionKernel any{{.in = "T x",
                             .out = "bool y",
                             .map = "x != 0",
                             .reduce = "a || b",
                             .post_map = "y = a",
                             .identity = "false",
                             .name = "any"}};
  const ReductionKernel all{{.in = "T x",
                             .out = "bool y",
                             .map = "x != 0",
                             .reduce = "a && b",
                             .post_map = "y = a",
                             .identity = "true",
                             .name = "all"}};
  std::vector<int> values(100003, 0);
  CHECK_FALSE(values_of<bool>(any(stream(), device_array(values))[0])[0]);
  values[77777] = 4;
  CHECK(values_of<bool>(any(stream(), device_array(values))[0])[0]);
  CHECK_FALSE(values_of<bool>(all(stream(), device_array(values))[0])[0]);
  const Array flags = device_array<signed char>({1, 1, 0, 1}, {2, 2});
  CHECK(values_of<bool>(all.over({1})(stream(), flags)[0]) == std::vector<bool>{true, false});
}

TEST_CASE("Complex products keep both parts") {
  const ReductionKernel product{{.in = "T x",
                                 .out = "T y",
                                 .map = "x",
                                 .reduce = "a * b",
                                 .post_map = "y = a",
                                 .identity = "T(1)",
                                 .name = "product"}};
  using C = std::complex<double>;
  // i to the power of 101.
  const Array x = device_array(std::vector<C>(101, C(0, 1)));
  CHECK(values_of<C>(product(stream(), x)[0])[0] == C(0, 1));
  const Array y = device_array(std::vector<std::complex<float>>(6, {1, 1}), {2, 3});
  CHECK(values_of<std::complex<float>>(product.over({1})(stream(), y)[0])[1] ==
        std::complex<float>(-2, 2));
}

TEST_CASE("The double precision sum of a million numbers is right to its last digits") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const Array host = test::random_uniform(DType::kFloat64, {1000003}, 0, 1, 5);
  long double expected = 0;
  for (const double x : host.as<double>()) expected += static_cast<long double>(x);
  const Array x = to_device(host, stream());
  CHECK(values_of<double>(sum(stream(), x)[0])[0] ==
        Approx(static_cast<double>(expected)).epsilon(1e-14));
}

TEST_CASE("The mean squared error of two arrays needs no third") {
  const ReductionKernel mse{{.in = "T x, T y",
                             .out = "T z",
                             .map = "(x - y) * (x - y)",
                             .reduce = "a + b",
                             .post_map = "z = a / _in_ind.size()",
                             .identity = "0",
                             .name = "mse"}};
  const Array x = device_array(test::counting<double>(200001));
  const Array y = device_array(test::counting<double>(200001, 3));
  CHECK(values_of<double>(mse(stream(), x, y)[0])[0] == 9);
}

}  // namespace
}  // namespace kernelbatch
