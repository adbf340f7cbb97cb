// ReductionKernel: the order of combination, identities, reproducibility.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

/// Compositions of x → p·x + q modulo a prime: associative, and any change of order changes the
/// result.
struct Affine {
  std::uint64_t p = 1, q = 0;
};
constexpr std::uint64_t kPrime = 1000003;

Affine affine_of(std::int64_t k) {
  const auto n = static_cast<std::uint64_t>(k);
  return {n * 7919 % (kPrime - 1) + 1, (n * n + 17) % kPrime};
}
Affine then(const Affine& a, const Affine& b) {
  return {b.p * a.p % kPrime, (b.p * a.q + b.q) % kPrime};
}

const ReductionKernel& composition() {
  static const ReductionKernel kernel = [] {
    ReductionOptions options;
    options.reduce_type = "affine";
    options.preamble = R"(
struct affine { unsigned long long p, q; };
__device__ affine of(long long k) {
  const unsigned long long n = k, prime = 1000003;
  return {n * 7919 % (prime - 1) + 1, (n * n + 17) % prime};
}
__device__ affine then(affine a, affine b) {
  const unsigned long long prime = 1000003;
  return {b.p * a.p % prime, (b.p * a.q + b.q) % prime};
})";
    return ReductionKernel{{.in = "int64 x",
                            .out = "int64 p, int64 q",
                            .map = "of(x)",
                            .reduce = "then(a, b)",
                            .post_map = "p = a.p; q = a.q",
                            .identity = std::nullopt,
                            .name = "composition",
                            .options = options}};
  }();
  return kernel;
}

void check_composition(const Array& x, const std::vector<int>& axes, std::int64_t outputs,
                       const std::vector<std::vector<std::int64_t>>& elements) {
  const std::vector<Array> out = composition().over(axes)(stream(), x);
  const std::vector<std::int64_t> p = values_of<std::int64_t>(out[0]);
  const std::vector<std::int64_t> q = values_of<std::int64_t>(out[1]);
  bool right = true;
  for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k) {
    Affine expected = affine_of(elements[k][0]);
    for (std::size_t j = 1; j < elements[k].size(); ++j)
      expected = then(expected, affine_of(elements[k][j]));
    right = right && p[k] == static_cast<std::int64_t>(expected.p) &&
            q[k] == static_cast<std::int64_t>(expected.q);
  }
  CHECK(right);
}

TEST_CASE("An operator that does not commute combines elements in their order, for every size") {
  const Array x = device_array(counting<std::int64_t>(5000));
  Affine expected = affine_of(0);
  bool right = true;
  for (std::int64_t n = 1; n <= 5000; ++n) {
    if (n > 1) expected = then(expected, affine_of(n - 1));
    if (n > 300 && n % 37 != 0 && n % 64 > 1 && n != 5000) continue;
    const std::vector<Array> out = composition()(stream(), x.slice(0, 0, n, 1));
    right = right && values_of<std::int64_t>(out[0])[0] == static_cast<std::int64_t>(expected.p) &&
            values_of<std::int64_t>(out[1])[0] == static_cast<std::int64_t>(expected.q);
  }
  CHECK(right);
}

TEST_CASE("The order holds when one output is split over many blocks") {
  for (const std::int64_t n : {8192, 8193, 65536, 100003, 1000003, 3000001}) {
    const Array x = device_array(counting<std::int64_t>(n));
    check_composition(x, {0}, 1, {counting<std::int64_t>(n)});
    // In a separate row, misaligned.
    check_composition(x.slice(0, 1, n - 1, 1), {0}, 1, {counting<std::int64_t>(n - 1, 1)});
  }
}

TEST_CASE("The order holds along rows, along columns and through strides") {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {3, 5000}, {5000, 3}, {33, 333}, {333, 33}, {1000, 64}, {2, 100003}, {100003, 2}}) {
    const Array x = device_array(counting<std::int64_t>(rows * columns), {rows, columns});
    std::vector<std::vector<std::int64_t>> by_row;
    std::vector<std::vector<std::int64_t>> by_column(static_cast<std::size_t>(columns));
    for (std::int64_t r = 0; r < rows; ++r) {
      by_row.push_back(counting<std::int64_t>(columns, r * columns));
      for (std::int64_t c = 0; c < columns; ++c)
        by_column[static_cast<std::size_t>(c)].push_back(r * columns + c);
    }
    INFO(rows << " x " << columns);
    check_composition(x, {1}, rows, by_row);
    check_composition(x, {0}, columns, by_column);
    check_composition(x.transpose(), {0}, rows, by_row);
    for (auto& row : by_row) std::reverse(row.begin(), row.end());
    check_composition(x.slice(1, columns - 1, columns, -1), {1}, rows, by_row);
  }
}

TEST_CASE("The same input gives the same bits every time") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  for (const Shape& shape : {Shape{1000003}, Shape{100, 5003}, Shape{5003, 100}}) {
    const Array x = to_device(test::random_uniform(DType::kFloat32, shape, -1, 1, 3), stream());
    for (const int axis : {0, shape.count() - 1}) {
      const std::vector<float> first = values_of<float>(sum.over({axis})(stream(), x)[0]);
      for (int repeat = 0; repeat < 5; ++repeat)
        CHECK(values_of<float>(sum.over({axis})(stream(), x)[0]) == first);
    }
  }
}

TEST_CASE("A given identity enters once per output with any schedule") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "1000",
                             .name = "sum_from_1000"}};
  for (const std::int64_t n : {1, 2, 33, 1000, 100003}) {
    const Array x = device_array(std::vector<std::int64_t>(static_cast<std::size_t>(n), 1));
    CHECK(values_of<std::int64_t>(sum(stream(), x)[0])[0] == 1000 + n);
  }
  const Array x = device_array(std::vector<std::int64_t>(6000, 1), {60, 100});
  CHECK(values_of<std::int64_t>(sum.over({0})(stream(), x)[0]) ==
        std::vector<std::int64_t>(100, 1060));
  CHECK(values_of<std::int64_t>(sum.over({1})(stream(), x)[0]) ==
        std::vector<std::int64_t>(60, 1100));
}

TEST_CASE("The identity precedes the first element") {
  const ReductionKernel first{{.in = "T x",
                               .out = "T y",
                               .map = "x",
                               .reduce = "a",
                               .post_map = "y = a",
                               .identity = "77",
                               .name = "keep_first"}};
  CHECK(values_of<int>(first(stream(), device_array(counting<int>(100)))[0])[0] == 77);
}

TEST_CASE("Without an identity no value is invented") {
  const ReductionKernel least{{.in = "T x",
                               .out = "T y",
                               .map = "x",
                               .reduce = "a < b ? a : b",
                               .post_map = "y = a",
                               .identity = std::nullopt,
                               .name = "least"}};
  for (const std::int64_t n : {1, 2, 31, 33, 100, 1025, 100003}) {
    const Array x = device_array(counting<std::int64_t>(n, 5));
    CHECK(values_of<std::int64_t>(least(stream(), x)[0])[0] == 5);
    CHECK(values_of<std::int64_t>(least(stream(), x.slice(0, n - 1, n, -1))[0])[0] == 5);
  }
}

TEST_CASE("An empty reduction is the identity, or an error without one") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a + 1",
                             .identity = "41",
                             .name = "sum"}};
  const ReductionKernel least{{.in = "T x",
                               .out = "T y",
                               .map = "x",
                               .reduce = "a < b ? a : b",
                               .post_map = "y = a",
                               .identity = std::nullopt,
                               .name = "least"}};
  const Array none = Array::on_device(test::device(), DType::kInt32, {0});
  const Array rows = Array::on_device(test::device(), DType::kInt32, {3, 0});
  CHECK(values_of<int>(sum(stream(), none)[0]) == std::vector<int>{42});
  CHECK(values_of<int>(sum.over({1})(stream(), rows)[0]) == std::vector<int>(3, 42));
  CHECK(sum.over({0})(stream(), rows)[0].shape() == Shape{0});
  CHECK(least.over({0})(stream(), rows)[0].shape() == Shape{0});
  CHECK(test::error_text<SpecError>([&] { least(stream(), none); }) ==
        "zero-size array to reduction 'least', which has no identity");
  CHECK_THROWS_AS(least.over({1})(stream(), rows), SpecError);
}

TEST_CASE("Calls of different sizes on one stream share their workspace without mixing") {
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  std::vector<Array> outputs;
  const std::vector<std::int64_t> sizes{100003, 5, 3000001, 40000, 1000003, 33};
  const Array x = device_array(std::vector<std::int64_t>(3000001, 1));
  for (const std::int64_t n : sizes) outputs.push_back(sum(stream(), x.slice(0, 0, n, 1))[0]);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    CHECK(values_of<std::int64_t>(outputs[k])[0] == sizes[k]);
}

}  // namespace
}  // namespace kernelbatch
