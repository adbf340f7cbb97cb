#include "core/verify/tolerance_kernel.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "core/array/number.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The device's count for host arrays.
std::int64_t counted(const Array& got, const Array& want, const Tolerance& tolerance) {
  static const ToleranceKernel kernel;
  Stream& stream = test::stream();
  ElementCount count(test::device());
  kernel.count(to_device(got, stream), to_device(want, stream), tolerance, count, stream);
  stream.synchronize();
  return count.value(stream);
}

template <class T>
std::int64_t counted(const std::vector<T>& got, const std::vector<T>& want,
                     const Tolerance& tolerance) {
  return counted(Array::from(got), Array::from(want), tolerance);
}

TEST_CASE("Only elements outside a tolerance are counted") {
  const Tolerance close{.rtol = 0.1, .atol = 0.5};
  CHECK(counted<double>({1, 10, 100}, {1.5, 11.4, 111}, close) == 0);
  CHECK(counted<double>({1, 10, 100}, {1.7, 11.4, 112}, close) == 2);
  CHECK(counted<float>({1, 10, 100}, {1.7f, 11.4f, 112}, close) == 2);
  CHECK(counted<std::int32_t>({1, 10, 100}, {2, 11, 112}, close) == 2);
}

TEST_CASE("NaN and infinities must be where the reference has them") {
  const Tolerance wide{.rtol = 1e9, .atol = 1e9};
  CHECK(counted<double>({kNaN, kInfinite, -kInfinite}, {kNaN, kInfinite, -kInfinite}, wide) == 0);
  CHECK(counted<double>({kNaN, kInfinite, 1, 1}, {1, 1, kNaN, kInfinite}, wide) == 4);
  CHECK(counted<double>({kInfinite}, {-kInfinite}, wide) == 1);
}

TEST_CASE("An unwritten NaN is outside every tolerance") {
  const Tolerance wide{.rtol = 1e9, .atol = 1e9};
  for (const DTypeInfo& each : kDTypes) {
    if (!is_floating(each.dtype)) continue;
    CAPTURE(each.name);
    const auto filled = [&](std::uint32_t pattern) {
      Array array = Array::on_host(each.dtype, {2});
      for (std::size_t k = 0; k < array.bytes(); k += sizeof pattern)
        std::memcpy(array.data() + k, &pattern, sizeof pattern);
      return array;
    };
    const Array unwritten = filled(each.sentinel), other = filled(0xFFFFFFFF);
    CHECK(counted(unwritten, other, wide) == 2);
    CHECK(counted(other, unwritten, wide) == 0);
    CHECK(counted(unwritten, unwritten, wide) == 0);
    CHECK(counted(filled(kNumericSentinel), other, wide) == 2);
  }
}

TEST_CASE("Elements use the bounds of their rows and columns") {
  Tolerance tolerance{.mode = CompareMode::kReduction, .terms = 1000};
  tolerance.row_bounds = to_device(Array::from<double>({1, 100}), test::stream());
  const double u = unit_roundoff(DType::kFloat64), gamma = 1000 * u / (1 - 1000 * u);
  const auto beyond = [&](const std::vector<double>& errors) {
    std::vector<double> got;
    for (const double error : errors) got.push_back(1 + error * gamma);
    return counted(got, std::vector<double>(errors.size(), 1), tolerance);
  };
  CHECK(beyond({0.9, 90}) == 0);
  CHECK(beyond({1.2, 90}) == 1);
  tolerance.column_bounds = to_device(Array::from<double>({1, 10, 1000}), test::stream());
  CHECK(beyond({0.9, 9, 900, 90, 900, 90000}) == 0);
  CHECK(beyond({1.2, 9, 900, 90, 900, 120000}) == 2);
  const Tolerance added{.atol = 0.5,
                        .row_bounds = to_device(Array::from<double>({1, 2}), test::stream())};
  CHECK(counted<double>({2.4, 3.4}, {1, 1}, added) == 0);
  CHECK(counted<double>({2.6, 3.6}, {1, 1}, added) == 2);
}

TEST_CASE("Exact comparison needs no tolerance") {
  const Tolerance exact{CompareMode::kExact};
  constexpr std::int64_t kWide = (std::int64_t{1} << 60) + 1;
  CHECK(counted<std::int64_t>({kWide, 5}, {kWide, 5}, exact) == 0);
  CHECK(counted<std::int64_t>({kWide, 5}, {kWide - 1, 5}, exact) == 1);
  // The difference is not exact in double, so the element is counted whatever the tolerance.
  CHECK(counted<std::int64_t>({kWide, 5}, {kWide - 1, 5}, {.atol = 0.5}) == 1);
}

TEST_CASE("Complex numbers are compared by modulus") {
  using C = std::complex<double>;
  const Tolerance close{.rtol = 0.1};
  CHECK(counted<C>({C(3, 4), C(3, 4)}, {C(3.2, 4.2), C(3.2, 4.2)}, close) == 0);
  CHECK(counted<C>({C(3, 4), C(3, 4)}, {C(3.2, 4.2), C(3, 5)}, close) == 1);
  CHECK(counted<C>({C(kNaN, 4)}, {C(3, 4)}, {.rtol = 1e9}) == 1);
}

TEST_CASE("A sum is compared with the bound of its rounding errors") {
  const Tolerance sum{.mode = CompareMode::kReduction, .terms = 1e6, .absolute_sum = 1000};
  // 1e6 roundings of 2^-53 each: about 1.1e-10 of the sum.
  CHECK(counted<double>({1000}, {1000 + 1e-7}, sum) == 0);
  CHECK(counted<double>({1000}, {1000 + 2e-7}, sum) == 1);
}

TEST_CASE("The count is never lower than the host's") {
  std::vector<float> want, got;
  for (int k = 0; k < 5000; ++k) {
    want.push_back(std::sin(static_cast<float>(k)) * 100);
    got.push_back(want.back() * (1 + static_cast<float>(k % 21 - 10) * 1e-6f));
  }
  for (const double rtol : {1e-7, 3e-6, 5e-6, 1e-5}) {
    const Tolerance tolerance{.rtol = rtol};
    const std::int64_t wrong = compare(Array::from(got), Array::from(want), tolerance).mismatches;
    CAPTURE(rtol);
    CHECK(counted(got, want, tolerance) >= wrong);
    CHECK(counted(got, want, tolerance) <= wrong + 5);
  }
}

TEST_CASE("Halves and bools are counted") {
  const auto halves = [](const std::vector<float>& values) {
    return astype(Array::from(values), DType::kFloat16);
  };
  CHECK(counted(halves({1, 2, 3}), halves({1, 2.5f, 3}), {.rtol = 0.1}) == 1);
  const auto truths = [](const std::vector<std::uint8_t>& values) {
    return astype(Array::from(values), DType::kBool);
  };
  CHECK(counted(truths({1, 0, 1}), truths({1, 1, 1}), {CompareMode::kExact}) == 1);
}

}  // namespace
}  // namespace kernelbatch
