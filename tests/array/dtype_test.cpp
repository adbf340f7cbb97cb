#include "core/array/dtype.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("The table of dtypes agrees with C++") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    dispatch(dtype, [&](auto zero) {
      using T = decltype(zero);
      CHECK(info(dtype).size == sizeof(T));
      CHECK(info(dtype).dtype == dtype);
      CHECK(kDTypeOf<T> == dtype);
      CHECK(kHasDType<T>);
      CHECK(is_floating(dtype) == !std::is_integral_v<T>);
    });
  }
}

TEST_CASE("Names of dtypes are unique and lead back to them") {
  const std::vector<std::string> names = dtype_names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == kDTypeCount);
  for (const std::string& name : names) {
    REQUIRE(dtype_named(name).has_value());
    CHECK(name_of(*dtype_named(name)) == name);
  }
  CHECK_FALSE(dtype_named("float").has_value());
  CHECK_FALSE(dtype_named("").has_value());
}

TEST_CASE("Unit roundoff is half the distance from 1 to the next number") {
  CHECK(unit_roundoff(DType::kFloat32) == std::numeric_limits<float>::epsilon() / 2);
  CHECK(unit_roundoff(DType::kComplex128) == std::numeric_limits<double>::epsilon() / 2);
  CHECK(to_float(Float16{0x3c01}) - 1 == 2 * static_cast<float>(unit_roundoff(DType::kFloat16)));
  CHECK(to_float(BFloat16{0x3f81}) - 1 == 2 * static_cast<float>(unit_roundoff(DType::kBFloat16)));
  CHECK(unit_roundoff(DType::kInt32) == 0);
}

TEST_CASE("Every binary16 becomes the float it stands for and comes back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    const std::uint32_t exponent = bits >> 10 & 0x1f;
    const std::uint32_t mantissa = bits & 0x3ff;
    double expected = exponent == 0
                          ? std::ldexp(mantissa, -24)
                          : std::ldexp(1024.0 + mantissa, static_cast<int>(exponent) - 25);
    if (exponent == 0x1f) expected = mantissa == 0 ? HUGE_VAL : std::nan("");
    if (std::isnan(expected))
      REQUIRE(std::isnan(value));
    else
      REQUIRE(static_cast<double>(std::abs(value)) == expected);
    REQUIRE(std::signbit(value) == (bits >> 15 != 0));
    // A signalling NaN comes back quiet.
    REQUIRE(to_float16(value).bits == (std::isnan(expected) ? bits | 0x200u : bits));
  }
}

TEST_CASE("Every bfloat16 becomes the float it stands for and comes back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = to_float(BFloat16{static_cast<std::uint16_t>(bits)});
    REQUIRE(to_bfloat16(value).bits == (std::isnan(value) ? bits | 0x40u : bits));
  }
}

TEST_CASE("Floats are rounded to the nearest half, ties to even") {
  CHECK(to_float16(1.0f + 0x1p-11f).bits == 0x3c00);      // tie, down to even
  CHECK(to_float16(1.0f + 3 * 0x1p-11f).bits == 0x3c02);  // tie, up to even
  CHECK(to_float16(1.0f + 0x1.002p-11f).bits == 0x3c01);  // just above the tie
  CHECK(to_float16(65504.0f).bits == 0x7bff);             // largest
  CHECK(to_float16(65519.99f).bits == 0x7bff);            // below the tie to infinity
  CHECK(to_float16(65520.0f).bits == 0x7c00);             // the tie itself
  CHECK(to_float16(-1e30f).bits == 0xfc00);
  CHECK(to_float16(0x1p-25f).bits == 0x0000);  // half the smallest: to even
  CHECK(to_float16(0x1.000002p-25f).bits == 0x0001);
  CHECK(to_float16(0x1.ff8p-15f).bits == 0x03ff);  // largest subnormal
  CHECK(to_float16(0x1.ffcp-15f).bits == 0x0400);  // tie, up into the normal numbers
  CHECK(to_float16(-0.0f).bits == 0x8000);
  CHECK(to_bfloat16(1.0f + 0x1p-8f).bits == 0x3f80);
  CHECK(to_bfloat16(1.0f + 3 * 0x1p-8f).bits == 0x3f82);
  CHECK(to_bfloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(to_bfloat16(std::numeric_limits<float>::infinity()).bits == 0x7f80);
}

}  // namespace
}  // namespace kernelbatch
