#include "core/array/dtype.hpp"

#include <array>
#include <cmath>
#include <cstring>
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

TEST_CASE("Names of C++ types and codes of NumPy lead to dtypes") {
  CHECK(dtype_of_cpp_name("float") == DType::kFloat32);
  CHECK(dtype_of_cpp_name("bool") == DType::kBool);
  CHECK(dtype_of_cpp_name("int32_t") == DType::kInt32);
  CHECK(dtype_of_cpp_name("size_t") == DType::kUInt64);
  for (const char* half : {"float16", "half", "__half"})
    CHECK(dtype_of_cpp_name(half) == DType::kFloat16);
  for (const char* bfloat : {"bfloat16", "nv_bfloat16", "__nv_bfloat16"})
    CHECK(dtype_of_cpp_name(bfloat) == DType::kBFloat16);
  CHECK(dtype_of_cpp_name("cuDoubleComplex") == DType::kComplex128);
  CHECK_FALSE(dtype_of_cpp_name("float32").has_value());
  CHECK_FALSE(dtype_of_cpp_name("").has_value());
  CHECK(dtype_of_npy_code("c16") == DType::kComplex128);
  CHECK(dtype_of_npy_code("b1") == DType::kBool);
  CHECK_FALSE(dtype_of_npy_code("").has_value());

  std::multiset<std::string_view> names;
  for (const DTypeInfo& row : kDTypes) {
    names.insert(row.c_name);
    for (const std::string_view name : row.cpp_names)
      if (!name.empty()) names.insert(name);
  }
  CHECK(std::set<std::string_view>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("The sentinel of a floating type is NaN in every element") {
  for (const DTypeInfo& row : kDTypes)
    dispatch(row.dtype, [&](auto zero) {
      using T = decltype(zero);
      const std::array<std::uint32_t, 4> pattern{row.sentinel, row.sentinel, row.sentinel,
                                                 row.sentinel};
      const auto* bytes = reinterpret_cast<const std::byte*>(pattern.data());
      for (std::size_t at = 0; at < sizeof pattern; at += sizeof(T)) {
        if constexpr (!std::is_same_v<T, bool>) std::memcpy(&zero, bytes + at, sizeof(T));
        INFO(row.name);
        if constexpr (ReducedFloat<T>)
          REQUIRE(std::isnan(to_float(zero)));
        else if constexpr (std::is_floating_point_v<T>)
          REQUIRE(std::isnan(zero));
        else if constexpr (!std::is_integral_v<T>)
          REQUIRE((std::isnan(zero.real()) && std::isnan(zero.imag())));
      }
    });
}

TEST_CASE("Floats of few bits are known by their concept") {
  for (const DTypeInfo& row : kDTypes)
    dispatch(row.dtype, [&](auto zero) {
      CHECK(is_reduced_float(row.dtype) == ReducedFloat<decltype(zero)>);
    });
  CHECK(info(DType::kFloat16).exponent_bits == 5);
  CHECK(info(DType::kBFloat16).exponent_bits == 8);
  CHECK(info(DType::kComplex64).exponent_bits == 8);
  CHECK(info(DType::kFloat64).exponent_bits == 11);
  CHECK(info(DType::kInt64).exponent_bits == 0);
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
    REQUIRE(from_float<Float16>(value).bits == (std::isnan(expected) ? bits | 0x200u : bits));
  }
}

TEST_CASE("Every bfloat16 becomes the float it stands for and comes back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = to_float(BFloat16{static_cast<std::uint16_t>(bits)});
    REQUIRE(from_float<BFloat16>(value).bits == (std::isnan(value) ? bits | 0x40u : bits));
  }
}

TEST_CASE("Floats are rounded to the nearest half, ties to even") {
  CHECK(from_float<Float16>(1.0f + 0x1p-11f).bits == 0x3c00);      // tie, down to even
  CHECK(from_float<Float16>(1.0f + 3 * 0x1p-11f).bits == 0x3c02);  // tie, up to even
  CHECK(from_float<Float16>(1.0f + 0x1.002p-11f).bits == 0x3c01);  // just above the tie
  CHECK(from_float<Float16>(65504.0f).bits == 0x7bff);             // largest
  CHECK(from_float<Float16>(65519.99f).bits == 0x7bff);            // below the tie to infinity
  CHECK(from_float<Float16>(65520.0f).bits == 0x7c00);             // the tie itself
  CHECK(from_float<Float16>(-1e30f).bits == 0xfc00);
  CHECK(from_float<Float16>(0x1p-25f).bits == 0x0000);  // half the smallest: to even
  CHECK(from_float<Float16>(0x1.000002p-25f).bits == 0x0001);
  CHECK(from_float<Float16>(0x1.ff8p-15f).bits == 0x03ff);  // largest subnormal
  CHECK(from_float<Float16>(0x1.ffcp-15f).bits == 0x0400);  // tie, up into the normal numbers
  CHECK(from_float<Float16>(-0.0f).bits == 0x8000);
  CHECK(from_float<BFloat16>(1.0f + 0x1p-8f).bits == 0x3f80);
  CHECK(from_float<BFloat16>(1.0f + 3 * 0x1p-8f).bits == 0x3f82);
  CHECK(from_float<BFloat16>(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(from_float<BFloat16>(std::numeric_limits<float>::infinity()).bits == 0x7f80);
}

/// A layout that no dtype has, with more than one distance below its normal numbers.
struct Float8 {
  static constexpr int kExponentBits = 4, kFractionBits = 3;
  std::uint8_t bits;
};

TEST_CASE("A layout of 8 bits is converted by the same rules") {
  const auto all = [] {
    std::array<float, 128> values{};
    for (std::size_t bits = 0; bits < values.size(); ++bits)
      values[bits] = to_float(Float8{static_cast<std::uint8_t>(bits)});
    return values;
  }();
  for (std::size_t bits = 0; bits < 0x78; ++bits) {
    const auto exponent = static_cast<int>(bits >> 3);
    const auto fraction = static_cast<float>(bits & 7);
    REQUIRE(all[bits] ==
            (exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10)));
    REQUIRE(from_float<Float8>(-all[bits]).bits == (bits | 0x80));
    if (bits == 0x77) continue;
    const float middle = (all[bits] + all[bits + 1]) / 2;
    REQUIRE(from_float<Float8>(middle).bits == bits + (bits & 1));
    REQUIRE(from_float<Float8>(std::nextafter(middle, 0.0f)).bits == bits);
    REQUIRE(from_float<Float8>(std::nextafter(middle, 1e9f)).bits == bits + 1);
  }
  CHECK(all[0x78] == HUGE_VALF);
  CHECK(std::isnan(all[0x79]));
  CHECK(from_float<Float8>(248.0f).bits == 0x78);  // midway between the largest, 240, and 256
  CHECK(from_float<Float8>(247.9f).bits == 0x77);
  CHECK(from_float<Float8>(-HUGE_VALF).bits == 0xf8);
  CHECK(from_float<Float8>(std::nanf("")).bits == 0x7c);
}

}  // namespace
}  // namespace kernelbatch
