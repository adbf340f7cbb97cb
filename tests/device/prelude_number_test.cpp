// The host prelude's half, complex and integer types compared with the library's own.
#include <bit>
#include <cmath>

#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

/// Floats of every sign and exponent, with mantissas at and around the halfs' rounding points.
std::vector<float> rounding_cases() {
  std::vector<float> values;
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
    for (const std::uint32_t mantissa :
         {0x0u,      0x1u,      0xfffu,    0x1000u,   0x1001u,   0x2fffu,   0x3000u,   0x3001u,
          0x7fffu,   0x8000u,   0x8001u,   0x17fffu,  0x18000u,  0x18001u,  0x7fefffu, 0x7ff000u,
          0x7ff001u, 0x7f7fffu, 0x7f8000u, 0x7fffffu, 0x400000u, 0x200000u, 0x1fffffu})
      for (const std::uint32_t sign : {0u, 1u})
        values.push_back(std::bit_cast<float>(sign << 31 | exponent << 23 | mantissa));
  return values;
}

TEST_CASE("All float16 and bfloat16 patterns convert to the same floats as in the library") {
  const ElementwiseKernel widen{{.in = "T x",
                                 .out = "uint32 bits",
                                 .operation = "bits = __float_as_uint(float(x))",
                                 .name = "widen"}};
  std::vector<Float16> halves;
  std::vector<BFloat16> briefs;
  for (std::uint32_t k = 0; k < 0x10000; ++k) {
    halves.push_back({static_cast<std::uint16_t>(k)});
    briefs.push_back({static_cast<std::uint16_t>(k)});
  }
  const auto from_half = values_of<std::uint32_t>(widen(stream(), device_array(halves))[0]);
  const auto from_brief = values_of<std::uint32_t>(widen(stream(), device_array(briefs))[0]);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < 0x10000; ++k) {
    wrong += from_half[k] != std::bit_cast<std::uint32_t>(to_float(halves[k])) ? 1 : 0;
    wrong += from_brief[k] != std::bit_cast<std::uint32_t>(to_float(briefs[k])) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Floats round to the same halves as in the library") {
  const std::vector<float> values = rounding_cases();
  const ElementwiseKernel narrow{{.in = "float32 x",
                                  .out = "float16 h, bfloat16 b",
                                  .operation = "h = x; b = x",
                                  .name = "narrow"}};
  const std::vector<Array> out = narrow(stream(), device_array(values));
  const std::vector<Float16> halves = values_of<Float16>(out[0]);
  const std::vector<BFloat16> briefs = values_of<BFloat16>(out[1]);
  for (std::size_t k = 0; k < values.size(); ++k) {
    INFO(std::hex << std::bit_cast<std::uint32_t>(values[k]));
    REQUIRE(halves[k].bits == from_float<Float16>(values[k]).bits);
    REQUIRE(briefs[k].bits == from_float<BFloat16>(values[k]).bits);
  }
}

TEST_CASE("Halves compute in float and round once") {
  const ElementwiseKernel kernel{{.in = "T x, T y",
                                  .out = "T z",
                                  .operation = "z = x * y; z += x; z -= 1; z *= 2; z /= y",
                                  .name = "halves"}};
  const Array x = device_array<Float16>({from_float<Float16>(1.5f)});
  const Array y = device_array<Float16>({from_float<Float16>(2.0f)});
  CHECK(to_float(values_of<Float16>(kernel(stream(), x, y)[0])[0]) == 3.5f);
}

TEST_CASE("Complex arithmetic agrees with the standard library") {
  using C = std::complex<double>;
  const Array a = test::random_normal(DType::kComplex128, {200}, 0, 1, 1);
  const Array b = test::random_normal(DType::kComplex128, {200}, 0, 1, 2);
  const Array x = to_device(a, stream());
  const Array y = to_device(b, stream());
  const auto check = [&](const char* text, C (*expected)(C, C)) {
    const ElementwiseKernel kernel{
        {.in = "T x, T y", .out = "T z", .operation = text, .name = "complex_text"}};
    const std::vector<C> got = values_of<C>(kernel(stream(), x, y)[0]);
    for (std::size_t k = 0; k < got.size(); ++k) {
      const C want = expected(a.as<C>()[k], b.as<C>()[k]);
      INFO(text << " at " << k);
      CHECK(std::abs(got[k] - want) <= 1e-14 * (1 + std::abs(want)));
    }
  };
  check("z = x + y", [](C p, C q) { return p + q; });
  check("z = x - y", [](C p, C q) { return p - q; });
  check("z = x * y", [](C p, C q) { return p * q; });
  check("z = x / y", [](C p, C q) { return p / q; });
  check("z = -x; z *= y; z += 1.0; z -= x; z /= y",
        [](C p, C q) { return (-p * q + 1.0 - p) / q; });
  check("z = conj(x) * 2.0 + norm(y)", [](C p, C q) { return std::conj(p) * 2.0 + std::norm(q); });
  check("z = polar(abs(x), arg(y))", [](C p, C q) { return std::polar(std::abs(p), std::arg(q)); });
  check("z = exp(x)", [](C p, C) { return std::exp(p); });
  check("z = T(real(x), y.imag())", [](C p, C q) { return C(p.real(), q.imag()); });
}

TEST_CASE("Complex division does not overflow or underflow if the quotient fits") {
  using C = std::complex<double>;
  const ElementwiseKernel divide{
      {.in = "T x, T y", .out = "T z", .operation = "z = x / y", .name = "divide"}};
  const Array x = device_array<C>({{1e300, 1e300}, {1e-310, 1e-310}, {4, 2}});
  const Array y = device_array<C>({{1e300, 1e300}, {1e-310, 1e-310}, {0, 2}});
  CHECK(values_of<C>(divide(stream(), x, y)[0]) == std::vector<C>{{1, 0}, {1, 0}, {1, -2}});
}

TEST_CASE("Complex numbers compare and convert between precisions") {
  const ElementwiseKernel kernel{
      {.in = "complex64 x",
       .out = "bool same, complex128 wide",
       .operation = "same = x == complex<float>(1, 2) && !(x != complex<float>(1, 2)); "
                    "wide = complex<double>(x)",
       .name = "convert"}};
  const std::vector<Array> out =
      kernel(stream(), device_array<std::complex<float>>({{1, 2}, {2, 1}}));
  CHECK(values_of<bool>(out[0]) == std::vector<bool>{true, false});
  CHECK(values_of<std::complex<double>>(out[1])[1] == std::complex<double>(2, 1));
}

TEST_CASE("Complex numbers convert implicitly between precisions") {
  const ElementwiseKernel kernel{
      {.in = "complex64 x, complex128 w",
       .out = "complex128 wide, complex64 narrow",
       .operation = "complex<double> t = x; complex<float> u = w; t *= w; u += w; wide = x; "
                    "wide += t; narrow = t; narrow += u",
       .name = "mixed"}};
  const std::vector<Array> out = kernel(stream(), device_array<std::complex<float>>({{1, 2}}),
                                        device_array<std::complex<double>>({{3, -1}}));
  CHECK(values_of<std::complex<double>>(out[0])[0] == std::complex<double>(6, 7));
  CHECK(values_of<std::complex<float>>(out[1])[0] == std::complex<float>(11, 3));
}

TEST_CASE("Integer intrinsics agree with C++'s bit functions") {
  const Array host = test::random_uniform(DType::kUInt32, {1000}, 0, 4294967296.0, 4);
  const ElementwiseKernel kernel{
      {.in = "uint32 x",
       .out = "int32 ones, int32 zeros, int32 first, uint32 turned, uint32 high",
       .operation = "ones = __popc(x); zeros = __clz(x); first = __ffs(x); turned = "
                    "__brev(x); high = __umulhi(x, x)",
       .name = "intrinsics"}};
  const std::vector<Array> out = kernel(stream(), to_device(host, stream()));
  bool right = true;
  for (std::size_t k = 0; k < 1000; ++k) {
    const std::uint32_t x = host.as<std::uint32_t>()[k];
    std::uint32_t turned = 0;
    for (int bit = 0; bit < 32; ++bit) turned |= (x >> bit & 1u) << (31 - bit);
    right = right && values_of<int>(out[0])[k] == std::popcount(x) &&
            values_of<int>(out[1])[k] == std::countl_zero(x) &&
            values_of<int>(out[2])[k] == (x == 0 ? 0 : std::countr_zero(x) + 1) &&
            values_of<std::uint32_t>(out[3])[k] == turned &&
            values_of<std::uint32_t>(out[4])[k] == std::uint64_t{x} * x >> 32;
  }
  CHECK(right);
}

TEST_CASE("Intrinsics of zero and of 64 bits") {
  const ElementwiseKernel kernel{{.in = "uint64 x",
                                  .out = "int32 a, int32 b, int32 c, int32 d, uint64 e, int64 f",
                                  .operation =
                                      "a = __clz(int(x)) + 100 * __ffs(int(x)); b = __popcll(x); c "
                                      "= __clzll(x); d = __ffsll(x); "
                                      "e = __umul64hi(x, x); f = __mul64hi((long long)x, -1ll)",
                                  .name = "wide_intrinsics"}};
  const std::vector<Array> out =
      kernel(stream(), device_array<std::uint64_t>({0, UINT64_MAX << 4}));
  CHECK(values_of<int>(out[0])[0] == 32);
  CHECK(values_of<int>(out[1]) == std::vector<int>{0, 60});
  CHECK(values_of<int>(out[2]) == std::vector<int>{64, 0});
  CHECK(values_of<int>(out[3]) == std::vector<int>{0, 5});
  CHECK(values_of<std::uint64_t>(out[4])[1] == 0xffffffffffffffe0u);
  CHECK(values_of<std::int64_t>(out[5])[1] == 0);
}

TEST_CASE("Bits of floats can be read and written") {
  const ElementwiseKernel kernel{{.in = "float32 x",
                                  .out = "float32 y, float64 z",
                                  .operation =
                                      "y = __uint_as_float(__float_as_uint(x) ^ 0x80000000u) + "
                                      "__int_as_float(__float_as_int(x)) * 3; "
                                      "z = __longlong_as_double(__double_as_longlong(x) + 1)",
                                  .name = "bits"}};
  const std::vector<Array> out = kernel(stream(), device_array<float>({1.5f}));
  CHECK(values_of<float>(out[0])[0] == 3);
  CHECK(values_of<double>(out[1])[0] == std::nextafter(1.5, 2.0));
}

}  // namespace
}  // namespace kernelbatch
