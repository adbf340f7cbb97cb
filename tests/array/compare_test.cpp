#include "core/array/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Tolerance exact() { return {.mode = CompareMode::kExact, .reason = ""}; }
Tolerance ulp(double most) { return {.mode = CompareMode::kUlp, .max_ulp = most, .reason = ""}; }
Tolerance close(double rtol, double atol) { return {.rtol = rtol, .atol = atol, .reason = ""}; }

template <class T>
Comparison compare_values(const std::vector<T>& got, const std::vector<T>& want,
                          const Tolerance& tolerance) {
  return compare(Array::from(got), Array::from(want), tolerance);
}

TEST_CASE("Equal arrays are equal in every mode") {
  const std::vector<double> values{0, -1.5, 1e300, kNan, kInf, -kInf};
  for (const Tolerance& tolerance : {exact(), ulp(0), close(0, 0)}) {
    const Comparison result = compare_values(values, values, tolerance);
    CHECK(result.equal);
    CHECK(result.mismatches == 0);
    CHECK(result.first_mismatch == -1);
    CHECK(result.first_text.empty());
    CHECK(result.rms == 0);
  }
}

TEST_CASE("NaN and infinities must be at the reference's positions") {
  const Tolerance anything = close(1e9, 1e9);
  CHECK_FALSE(compare_values<double>({kNan}, {1}, anything).equal);
  CHECK_FALSE(compare_values<double>({1}, {kNan}, anything).equal);
  CHECK_FALSE(compare_values<double>({kInf}, {-kInf}, anything).equal);
  CHECK_FALSE(compare_values<double>({kInf}, {1e308}, anything).equal);
  CHECK_FALSE(compare_values<double>({1e308}, {kInf}, anything).equal);
  CHECK_FALSE(compare_values<double>({kNan}, {kInf}, anything).equal);
  CHECK(compare_values<double>({kNan, kInf, 1}, {kNan, kInf, 1}, anything).equal);
}

TEST_CASE("Errors are NaN for a misplaced NaN, infinite for a misplaced infinity") {
  const auto errors = [](const Comparison& c) {
    return std::vector<double>{c.max_abs, c.max_rel, c.max_ulp, c.rms};
  };
  const auto all_nan = [&](const Comparison& c) {
    return std::ranges::all_of(errors(c), [](double error) { return std::isnan(error); });
  };
  const auto all_infinite = [&](const Comparison& c) {
    return std::ranges::all_of(errors(c), [](double error) { return error == kInf; });
  };
  CHECK(all_nan(compare_values<double>({1, kNan}, {1, 2}, exact())));
  CHECK(all_nan(compare_values<double>({1, 2}, {1, kNan}, exact())));
  CHECK(all_nan(compare_values<double>({kInf, kNan}, {1, 2}, exact())));
  CHECK(all_nan(compare_values<std::complex<float>>({{1, NAN}}, {{1, 2}}, close(1, 1))));
  CHECK(all_infinite(compare_values<double>({1, kInf}, {1, 2}, exact())));
  CHECK(all_infinite(compare_values<double>({1, 2}, {1, -kInf}, exact())));
  CHECK(all_infinite(compare_values<float>({INFINITY}, {-INFINITY}, close(1, 1))));
  CHECK(errors(compare_values<double>({kNan, kInf, 1}, {kNan, kInf, 1}, exact())) ==
        std::vector<double>(4, 0));
  CHECK(errors(compare_values<double>({}, {}, exact())) == std::vector<double>(4, 0));
  // Far apart, so that several threads have a part each.
  std::vector<double> want(1 << 18, 1.0), got = want;
  got.front() = kNan;
  got.back() = 2;
  CHECK(all_nan(compare_values<double>(got, want, exact())));
  CHECK(compare_values<double>(got, want, exact()).mismatches == 2);
}

TEST_CASE("The first mismatch is reported with its index and both values") {
  Array got = Array::from<double>({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  Array want = Array::from<double>({1, 2, 3, 4, 5.5, 7}).reshape({2, 3});
  const Comparison result = compare(got, want, exact());
  CHECK(result.mismatches == 2);
  CHECK(result.first_mismatch == 4);
  CHECK(result.first_text == "[1, 1]: got 5, expected 5.5");
  CHECK(result.max_abs == 1);
  CHECK(result.max_rel == Approx(1.0 / 7));
  CHECK(result.rms == Approx(std::sqrt(1.25 / 6)));
}

TEST_CASE("The first mismatch of a large array is the first, however the work is divided") {
  std::vector<int> got(1000000, 1);
  const std::vector<int> want = got;
  for (const std::size_t k : {999999u, 700000u, 123457u}) got[k] = 2;
  const Comparison result = compare_values(got, want, exact());
  CHECK(result.mismatches == 3);
  CHECK(result.first_mismatch == 123457);
}

TEST_CASE("Close means within atol plus rtol times the reference") {
  CHECK(compare_values<double>({1.5}, {1}, close(0, 0.5)).equal);
  CHECK_FALSE(compare_values<double>({1.5}, {1}, close(0, 0.499)).equal);
  CHECK(compare_values<double>({1024 + 8}, {1024}, close(1.0 / 128, 0)).equal);
  CHECK_FALSE(compare_values<double>({1024 + 8.01}, {1024}, close(1.0 / 128, 0)).equal);
  CHECK(compare_values<double>({1e-9}, {0}, close(0, 1e-9)).equal);
  CHECK_FALSE(compare_values<double>({1e-9}, {0}, close(1, 0)).equal);
}

TEST_CASE("Distances in ulp count the numbers of the type in between") {
  const float next = std::nextafter(1.0f, 2.0f);
  CHECK(compare_values<float>({next}, {1}, ulp(1)).equal);
  CHECK_FALSE(compare_values<float>({next}, {1}, ulp(0)).equal);
  CHECK(compare_values<float>({-0.0f}, {0.0f}, ulp(0)).equal);
  const float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(compare_values<float>({tiny}, {-tiny}, ulp(2)).max_ulp == 2);
  CHECK(compare_values<Float16>({{0x3c03}}, {{0x3c00}}, ulp(3)).max_ulp == 3);
  CHECK(compare_values<BFloat16>({{0x8001}}, {{0x0001}}, ulp(2)).equal);
}

TEST_CASE("Doubles one ulp apart are one ulp apart") {
  const double next = std::nextafter(1.0, 2.0);
  const Comparison result = compare_values<double>({next, -next}, {1, -1}, ulp(0));
  CHECK(result.max_ulp == 1);
  CHECK(result.mismatches == 2);
  CHECK(compare_values<double>({next}, {1}, ulp(1)).equal);
  const double largest = std::numeric_limits<double>::max();
  CHECK(compare_values<double>({largest}, {-largest}, ulp(1)).max_ulp > 1.8e19);
}

TEST_CASE("64-bit integers beyond 2^53 are distinguished in every mode") {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  for (const Tolerance& tolerance : {exact(), ulp(0), close(0, 0)}) {
    CHECK_FALSE(compare_values<std::int64_t>({big}, {big - 1}, tolerance).equal);
    CHECK_FALSE(compare_values<std::uint64_t>({UINT64_MAX}, {UINT64_MAX - 1}, tolerance).equal);
    CHECK(compare_values<std::int64_t>({big}, {big}, tolerance).equal);
  }
  CHECK(compare_values<std::int64_t>({big + 2}, {big - 1}, exact()).max_abs == 3);
  CHECK(compare_values<std::int64_t>({INT64_MIN}, {INT64_MAX}, exact()).max_abs == Approx(0x1p64));
}

TEST_CASE("Integers, booleans and small types compare by value") {
  CHECK(compare_values<signed char>({-128}, {127}, exact()).max_abs == 255);
  CHECK_FALSE(compare_values<bool>({true}, {false}, close(0, 0.5)).equal);
  CHECK(compare_values<Float16>({{0x3c00}}, {{0x3c01}}, close(1e-3, 0)).equal);
  CHECK_FALSE(compare_values<Float16>({{0x3c00}}, {{0x3c01}}, exact()).equal);
  CHECK(compare_values<Float16>({{0x7e00}}, {{0x7e01}}, exact()).equal);  // NaN is NaN
}

TEST_CASE("Complex numbers are close when their distance is small against their modulus") {
  using C = std::complex<double>;
  CHECK(compare_values<C>({{1000, 0.5}}, {{1000, 0}}, close(1e-3, 0)).equal);
  CHECK_FALSE(compare_values<C>({{1000, 2}}, {{1000, 0}}, close(1e-3, 0)).equal);
  CHECK_FALSE(compare_values<C>({{1, kNan}}, {{1, 0}}, close(1, 1)).equal);
  CHECK(compare_values<C>({{kInf, kNan}}, {{kInf, kNan}}, exact()).equal);
  CHECK_FALSE(compare_values<C>({{1, 2}}, {{1, 3}}, exact()).equal);
  CHECK(compare_values<C>({{1, 2}}, {{1, 3}}, exact()).first_text ==
        "[0]: got (1+2j), expected (1+3j)");
}

TEST_CASE("The distance of complex numbers neither overflows nor vanishes") {
  using C = std::complex<double>;
  for (const double size : {1e-200, 1e-160, 1e-140, 1.0, 1e140, 1e160, 1e200}) {
    CAPTURE(size);
    const Comparison found =
        compare_values<C>({{6 * size, 4 * size}}, {{3 * size, 8 * size}}, close(0.6, 0));
    CHECK(found.equal);
    CHECK(found.max_abs == Approx(5 * size).epsilon(1e-12));
    CHECK(found.max_rel == Approx(5 / std::sqrt(73.0)).epsilon(1e-12));
    CHECK_FALSE(
        compare_values<C>({{6 * size, 4 * size}}, {{3 * size, 8 * size}}, close(0.58, 0)).equal);
  }
  CHECK(compare_values<C>({{0.0, -0.0}}, {{-0.0, 0.0}}, exact()).equal);
}

TEST_CASE("The bound of a reduction grows with its number of terms") {
  Tolerance tolerance{.mode = CompareMode::kReduction, .reason = ""};
  tolerance.terms = 1000;
  tolerance.absolute_sum = 500;
  const double u = unit_roundoff(DType::kFloat32);
  const auto bound = static_cast<float>(1000 * u / (1 - 1000 * u) * 500);
  CHECK(compare_values<float>({0.9f * bound}, {0}, tolerance).equal);
  CHECK_FALSE(compare_values<float>({1.1f * bound}, {0}, tolerance).equal);
}

TEST_CASE("The bound of a complex reduction is of the number, not of a part that cancels") {
  using C = std::complex<double>;
  Tolerance tolerance{.mode = CompareMode::kReduction, .reason = ""};
  tolerance.terms = 1000;
  const double u = unit_roundoff(DType::kComplex128);
  const double bound = 1000 * u / (1 - 1000 * u) * 8;
  CHECK(compare_values<C>({C(0.9 * bound, 8)}, {C(0, 8)}, tolerance).equal);
  CHECK(compare_values<C>({C(0.9 * bound, 8 + 0.9 * bound)}, {C(0, 8)}, tolerance).equal);
  CHECK_FALSE(compare_values<C>({C(1.5 * bound, 8)}, {C(0, 8)}, tolerance).equal);
  tolerance.absolute_sum = 80;
  CHECK(compare_values<C>({C(9 * bound, 8)}, {C(0, 8)}, tolerance).equal);
  CHECK_FALSE(compare_values<C>({C(15 * bound, 8)}, {C(0, 8)}, tolerance).equal);
}

TEST_CASE("A NaN that was never written agrees with no other NaN") {
  for (const DTypeInfo& each : kDTypes) {
    if (!is_floating(each.dtype)) continue;
    CAPTURE(each.name);
    const auto filled = [&](std::uint32_t pattern) {
      Array array = Array::on_host(each.dtype, {3});
      for (std::size_t k = 0; k < array.bytes(); k += sizeof pattern)
        std::memcpy(array.data() + k, &pattern, std::min(sizeof pattern, array.bytes() - k));
      return array;
    };
    const Array unwritten = filled(each.sentinel), other = filled(0xFFFFFFFF);
    for (const Tolerance& tolerance : {exact(), close(1, 1e9), ulp(1e9)}) {
      CHECK(compare(unwritten, other, tolerance).mismatches == 3);
      CHECK(compare(other, unwritten, tolerance).equal);
      CHECK(compare(other, filled(0x7FFF7FFF), tolerance).equal);
      CHECK(compare(unwritten, unwritten, tolerance).equal);
      CHECK(compare(filled(kNumericSentinel), other, tolerance).mismatches == 3);
    }
    CHECK(count_unwritten(unwritten, other) == 3);
    CHECK(count_unwritten(unwritten, unwritten) == 0);
    CHECK(count_unwritten(filled(kNumericSentinel), other) == 3);
  }
}

TEST_CASE("Each element has the bound of its row and column") {
  Tolerance tolerance{.mode = CompareMode::kReduction, .terms = 1000, .reason = ""};
  tolerance.absolute_sum = 1e9;
  tolerance.row_bounds = Array::from<double>({1, 100});
  const double u = unit_roundoff(DType::kFloat64), gamma = 1000 * u / (1 - 1000 * u);
  const auto mismatches = [&](const std::vector<double>& errors) {
    std::vector<double> got;
    for (const double error : errors) got.push_back(1 + error * gamma);
    return compare(Array::from(got), Array::from(std::vector<double>(errors.size(), 1)), tolerance)
        .mismatches;
  };
  CHECK(mismatches({0.9, 90}) == 0);
  CHECK(mismatches({1.2, 90}) == 1);
  CHECK(mismatches({0.9, 120}) == 1);
  CHECK(to_text(tolerance) == "reduction n=1000 sum by row");
  tolerance.column_bounds = Array::from<double>({1, 10, 1000});
  CHECK(mismatches({0.9, 9, 900, 90, 900, 90000}) == 0);
  CHECK(mismatches({1.2, 12, 1200, 120, 1200, 120000}) == 6);
  CHECK(to_text(tolerance) == "reduction n=1000 sum by row and column");
  const Tolerance added{.rtol = 0.1, .atol = 0.5, .row_bounds = Array::from<double>({1, 2})};
  CHECK(compare(Array::from<double>({2.5, 3.5}), Array::from<double>({1, 1}), added).equal);
  CHECK(compare(Array::from<double>({2.7, 3.7}), Array::from<double>({1, 1}), added).mismatches ==
        2);
  CHECK(to_text(added) == "rtol=0.1 atol=0.5 + sum by row");
}

TEST_CASE("Arrays of other dtype or shape are not compared") {
  const Array want = Array::from<float>({1, 2});
  CHECK(test::error_text<SpecError>([&] { compare(Array::from<float>({1}), want, exact()); }) ==
        "cannot compare float32 (1,) with the reference's float32 (2,)");
  CHECK_THROWS_AS(compare(Array::from<double>({1, 2}), want, exact()), SpecError);
}

TEST_CASE("Arrays of nothing and of one number compare") {
  CHECK(compare(Array::on_host(DType::kFloat32, {0}), Array::on_host(DType::kFloat32, {0}), exact())
            .equal);
  const Array one = Array::from<int>({1}).reshape({});
  CHECK(compare(one, Array::from<int>({2}).reshape({}), exact()).first_text ==
        "[]: got 1, expected 2");
}

TEST_CASE("Tolerances are written as readable text") {
  CHECK(to_text(exact()) == "exact");
  CHECK(to_text(ulp(4)) == "max_ulp=4");
  CHECK(to_text(close(1e-6, 0)) == "rtol=1e-06 atol=0");
  CHECK(name_of(CompareMode::kReduction) == "reduction");
}

}  // namespace
}  // namespace kernelbatch
