// Numbers of every kind and their values as elements.
#include "core/array/number.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

std::complex<double> complex_of(const char* text) {
  return std::get<std::complex<double>>(parse_number(text));
}

TEST_CASE("Numbers are read by their kind") {
  CHECK(std::get<std::int64_t>(parse_number("1M")) == 1'000'000);
  CHECK(std::get<std::int64_t>(parse_number("2^20")) == 1 << 20);
  CHECK(std::get<std::int64_t>(parse_number("-9223372036854775808")) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(std::get<std::uint64_t>(parse_number("9223372036854775808")) == std::uint64_t{1} << 63);
  CHECK(std::get<std::uint64_t>(parse_number("2^63")) == std::uint64_t{1} << 63);
  CHECK(std::get<std::uint64_t>(parse_number("18446744073709551615")) == ~std::uint64_t{0});
  CHECK(std::get<double>(parse_number("5.0")) == 5);
  CHECK(std::get<double>(parse_number("1e6")) == 1e6);
  CHECK(std::get<double>(parse_number("2^-1")) == 0.5);
  CHECK(std::get<double>(parse_number("-inf")) == -INFINITY);
  for (const char* text : {"18446744073709551616", "2^64", "-9223372036854775809"}) {
    CAPTURE(text);
    CHECK(test::message_of([&] { parse_number(text); }) ==
          "'" + std::string(text) +
              "' does not fit in 64 bits: write it with a point or an exponent for a real");
  }
  CHECK(std::get<double>(parse_number("-0.5")) == -0.5);
  CHECK(std::get<bool>(parse_number("true")));
  CHECK(complex_of("3j") == std::complex<double>(0, 3));
  CHECK(complex_of("1-2j") == std::complex<double>(1, -2));
  CHECK(complex_of("-1e-3+2.5e+1j") == std::complex<double>(-1e-3, 25));
  CHECK(complex_of("2-j") == std::complex<double>(2, -1));
  CHECK(test::message_of([] { parse_number("x"); }) == "'x' is not a number");
  CHECK(test::message_of([] { parse_number("1+xj"); }) == "'1+xj' is not a number");
}

TEST_CASE("What does not fit an element is refused") {
  std::byte to[16];
  const auto refusal = [&](const Number& number, DType dtype) {
    return test::message_of([&] { write_number(number, dtype, to); });
  };
  CHECK(refusal(std::int64_t{128}, DType::kInt8) == "128 is out of range for int8");
  CHECK(refusal(std::int64_t{-1}, DType::kUInt64) == "-1 is out of range for uint64");
  CHECK(refusal(std::nan(""), DType::kInt32) == "nan is out of range for int32");
  CHECK(refusal(1e300, DType::kFloat32) == "1e+300 is out of range for float32");
  CHECK(refusal(70000.0, DType::kFloat16) == "70000 is out of range for float16");
  CHECK(refusal(std::complex<double>(1, 2), DType::kFloat64) ==
        "a complex value cannot become float64");
  CHECK(refusal(2.5, DType::kInt32) == "2.5 is not an integer, which int32 requires");
  CHECK(refusal(-3.0, DType::kInt8).empty());
  CHECK(refusal(std::int64_t{127}, DType::kInt8).empty());
  CHECK(refusal(INFINITY, DType::kFloat16).empty());
}

TEST_CASE("Elements read back as they were written, in every dtype") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    std::byte element[16];
    write_number(std::int64_t{1}, dtype, element);
    const Number back = read_number(dtype, element);
    std::byte again[16];
    write_number(back, dtype, again);
    CHECK(std::equal(element, element + size_of(dtype), again));
  }
}

TEST_CASE("astype converts element by element, whatever the strides") {
  const Array x = Array::from(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}).reshape({2, 3});
  const Array y = astype(x.transpose(), DType::kFloat64);
  CHECK(y.shape() == Shape{3, 2});
  CHECK(std::vector<double>(y.as<double>().begin(), y.as<double>().end()) ==
        std::vector<double>{1, 4, 2, 5, 3, 6});
}

}  // namespace
}  // namespace kernelbatch
