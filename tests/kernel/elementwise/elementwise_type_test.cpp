// ElementwiseKernel: all dtypes, scalars and their ranges.
#include <cmath>
#include <limits>

#include "core/array/compare.hpp"
#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;

const ElementwiseKernel& add() {
  static const ElementwiseKernel kernel{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add_elements"}};
  return kernel;
}

TEST_CASE("Every dtype adds, packed, misaligned and strided") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    if (dtype == DType::kBool) continue;
    // Small whole numbers are exact in every dtype.
    const Array host = arange(DType::kInt8, {70}, 0, 1);
    const Array x = Array::on_device(test::device(), dtype, {71});
    const ElementwiseKernel convert{{.in = "int8 x",
                                     .out = "T y",
                                     .operation = "y = static_cast<T>(float(x % 30))",
                                     .name = "convert"}};
    const Array source = to_device(host, stream());
    convert(stream(), source, x.slice(0, 0, 70, 1));
    convert(stream(), source.slice(0, 0, 1, 1), x.slice(0, 70, 1, 1));
    for (const Array& view : {x.slice(0, 0, 67, 1), x.slice(0, 1, 67, 1), x.slice(0, 2, 33, 2)}) {
      const Array z = add()(stream(), view, view)[0];
      const ElementwiseKernel back{{.in = "T x, T z",
                                    .out = "int32 wrong",
                                    .operation = "wrong = !(z == static_cast<T>(x + x))",
                                    .name = "check_sum"}};
      for (const int wrong : values_of<int>(back(stream(), view, z)[0])) REQUIRE(wrong == 0);
      dispatch(dtype, [&](auto zero) {
        using T = decltype(zero);
        const T last = values_of<T>(z)[5];
        const int index = view.data() == x.data() ? 5 : view.size() == 33 ? 12 : 6;
        if constexpr (ReducedFloat<T>)
          CHECK(to_float(last) == to_float(from_float<T>(static_cast<float>(2 * index))));
        else
          CHECK(last == static_cast<T>(static_cast<float>(2 * index)));
      });
    }
  }
}

TEST_CASE("Booleans are true or false") {
  const ElementwiseKernel less{
      {.in = "T x, T y", .out = "bool z", .operation = "z = x < y", .name = "less"}};
  const Array z = less(stream(), device_array<int>({1, 2, 3}), device_array<int>({2, 2, 2}))[0];
  CHECK(values_of<bool>(z) == std::vector<bool>{true, false, false});
  const ElementwiseKernel both{
      {.in = "bool x, bool y", .out = "bool z", .operation = "z = x && !y", .name = "both"}};
  CHECK(values_of<bool>(both(stream(), z, z)[0]) == std::vector<bool>(3, false));
}

TEST_CASE("Scalars become the type that the arrays bind") {
  const Array x = device_array<float>({1, 2});
  CHECK(values_of<float>(add()(stream(), x, 3)[0]) == std::vector<float>{4, 5});
  CHECK(values_of<float>(add()(stream(), 0.5, x)[0]) == std::vector<float>{1.5, 2.5});
  const Array bytes = device_array<std::uint8_t>({1});
  CHECK(values_of<std::uint8_t>(add()(stream(), bytes, 254)[0])[0] == 255);
  const Array half = device_array<Float16>({{0x3c00}});
  CHECK(values_of<Float16>(add()(stream(), half, 2)[0])[0].bits == 0x4200);
  const Array z = device_array<std::complex<double>>({{1, 2}});
  CHECK(values_of<std::complex<double>>(add()(stream(), z, std::complex<float>(0, 1))[0])[0] ==
        std::complex<double>(1, 3));
  CHECK(values_of<std::complex<double>>(add()(stream(), z, 2)[0])[0] == std::complex<double>(3, 2));
}

TEST_CASE("A scalar out of its type's range is an error with name, value and type") {
  const auto error = [](const Array& x, const Argument& scalar) {
    const Argument arguments[] = {x, scalar};
    return test::error_text<SpecError>([&] { add().call(stream(), arguments); });
  };
  CHECK(error(device_array<std::uint8_t>({1}), 256) ==
        "argument 'y': 256 is out of range for uint8");
  CHECK(error(device_array<std::uint8_t>({1}), -1) == "argument 'y': -1 is out of range for uint8");
  CHECK(error(device_array<int>({1}), 3e9) == "argument 'y': 3000000000 is out of range for int32");
  CHECK(error(device_array<std::int64_t>({1}), UINT64_MAX) ==
        "argument 'y': 18446744073709551615 is out of range for int64");
  CHECK(error(device_array<int>({1}), std::nan("")) ==
        "argument 'y': nan is out of range for int32");
  CHECK(error(device_array<float>({1}), std::complex<double>(1, 1)) ==
        "argument 'y': a complex value cannot become float32");
}

TEST_CASE("A finite scalar that would become infinite is out of range") {
  const auto error = [](const Array& x, const Argument& scalar) {
    const Argument arguments[] = {x, scalar};
    return test::error_text<SpecError>([&] { add().call(stream(), arguments); });
  };
  CHECK(error(device_array<float>({1}), 1e300) ==
        "argument 'y': 1e+300 is out of range for float32");
  CHECK(error(device_array<Float16>({{0}}), 65520) ==
        "argument 'y': 65520 is out of range for float16");
  CHECK(error(device_array<BFloat16>({{0}}), -1e39) ==
        "argument 'y': -1e+39 is out of range for bfloat16");
  const Array x = device_array<float>({1});
  CHECK(std::isinf(values_of<float>(add()(stream(), x, HUGE_VAL)[0])[0]));
  CHECK(values_of<float>(add()(stream(), x, 3.4e38)[0])[0] == 3.4e38f);
}

TEST_CASE("64-bit integers keep all their bits") {
  const Array x = device_array<std::int64_t>({INT64_MAX - 1, INT64_MIN});
  CHECK(values_of<std::int64_t>(add()(stream(), x, std::int64_t{1})[0])[0] == INT64_MAX);
  const Array u = device_array<std::uint64_t>({0});
  CHECK(values_of<std::uint64_t>(add()(stream(), u, UINT64_MAX)[0])[0] == UINT64_MAX);
}

TEST_CASE("NaN, infinities, signed zeros and denormals pass through") {
  const float denormal = std::numeric_limits<float>::denorm_min();
  const std::vector<float> values{-0.0f, denormal, -denormal, INFINITY, -INFINITY, NAN};
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x * T(1)", .name = "times_one"}};
  const std::vector<float> got = values_of<float>(copy(stream(), device_array(values))[0]);
  CHECK(std::signbit(got[0]));
  CHECK(got[1] == denormal);
  CHECK(got[2] == -denormal);
  CHECK((got[3] == INFINITY && got[4] == -INFINITY));
  CHECK(std::isnan(got[5]));
}

TEST_CASE("Placeholders are types in the texts") {
  const ElementwiseKernel kernel{{.in = "X x, Y y",
                                  .out = "Y z",
                                  .operation = "z = static_cast<Y>(x) * y + Y(sizeof(X))",
                                  .name = "types"}};
  const Array z = kernel(stream(), device_array<signed char>({3}), device_array<double>({0.5}))[0];
  CHECK(z.dtype() == DType::kFloat64);
  CHECK(values_of<double>(z)[0] == 2.5);
}

}  // namespace
}  // namespace kernelbatch
