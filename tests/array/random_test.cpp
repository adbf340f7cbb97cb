#include "core/array/random.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST_CASE("Philox4x32-10 gives Random123's known answers") {
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("An element depends only on the seed and its index, not on the length") {
  // Short arrays are filled by one thread, long ones by several.
  const Array few = test::random_uniform(DType::kFloat64, {1001}, 0, 1, 42);
  const Array many = test::random_uniform(DType::kFloat64, {1000000}, 0, 1, 42);
  CHECK(std::equal(few.as<double>().begin(), few.as<double>().end(), many.as<double>().begin()));
  const Array normal = test::random_normal(DType::kFloat64, {7}, 0, 1, 3);
  const Array normals = test::random_normal(DType::kFloat64, {500001}, 0, 1, 3);
  CHECK(std::equal(normal.as<double>().begin(), normal.as<double>().end(),
                   normals.as<double>().begin()));
}

TEST_CASE("Another seed gives other numbers") {
  const Array a = test::random_uniform(DType::kFloat64, {1000}, 0, 1, 1);
  const Array b = test::random_uniform(DType::kFloat64, {1000}, 0, 1, std::uint64_t{1} << 32 | 1);
  std::size_t equal = 0;
  for (std::size_t k = 0; k < 1000; ++k) equal += a.as<double>()[k] == b.as<double>()[k] ? 1 : 0;
  CHECK(equal == 0);
}

TEST_CASE("Uniform numbers have the mean and variance of their interval") {
  const Array array = test::random_uniform(DType::kFloat64, {200000}, -1, 3, 7);
  double sum = 0;
  double squares = 0;
  for (const double x : array.as<double>()) {
    sum += x;
    squares += (x - 1) * (x - 1);
  }
  CHECK(sum / 200000 == Approx(1).margin(0.02));
  CHECK(squares / 200000 == Approx(16.0 / 12).epsilon(0.02));
}

TEST_CASE("Uniform numbers stay below the upper end after rounding to their type") {
  const Array single = test::random_uniform(DType::kFloat32, {4000000}, 0, 1, 5);
  const auto [low, high] =
      std::minmax_element(single.as<float>().begin(), single.as<float>().end());
  CHECK(*low >= 0);
  CHECK(*high < 1);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Array half = test::random_uniform(DType::kFloat16, {100000}, -2, 1, seed);
    const Array brief = test::random_uniform(DType::kBFloat16, {100000}, -3, -1, seed);
    bool inside = true;
    for (const Float16 x : half.as<Float16>())
      inside = inside && to_float(x) >= -2 && to_float(x) < 1;
    for (const BFloat16 x : brief.as<BFloat16>())
      inside = inside && to_float(x) >= -3 && to_float(x) < -1;
    CHECK(inside);
  }
}

TEST_CASE("Uniform integers take every value of the interval but its upper end") {
  const Array array = test::random_uniform(DType::kInt8, {60000}, -3, 3, 9);
  std::array<int, 6> counts{};
  for (const signed char x : array.as<signed char>()) {
    REQUIRE((x >= -3 && x < 3));
    ++counts[static_cast<std::size_t>(x + 3)];
  }
  for (const int count : counts) CHECK(count == Approx(10000).epsilon(0.05));
}

TEST_CASE("Normal numbers have their moments") {
  const Array array = test::random_normal(DType::kFloat32, {200000}, 2, 3, 11);
  double sum = 0;
  double squares = 0;
  double cubes = 0;
  for (const float x : array.as<float>()) {
    const double z = (static_cast<double>(x) - 2) / 3;
    sum += z;
    squares += z * z;
    cubes += z * z * z;
  }
  CHECK(sum / 200000 == Approx(0).margin(0.01));
  CHECK(squares / 200000 == Approx(1).epsilon(0.02));
  CHECK(cubes / 200000 == Approx(0).margin(0.05));
}

TEST_CASE("Complex elements have independent parts") {
  const Array array = test::random_normal(DType::kComplex128, {100000}, 0, 1, 13);
  double product = 0;
  for (const std::complex<double> z : array.as<std::complex<double>>())
    product += z.real() * z.imag();
  CHECK(product / 100000 == Approx(0).margin(0.02));
}

TEST_CASE("An empty interval and a negative deviation are refused") {
  CHECK(test::error_text<SpecError>([] { test::random_uniform(DType::kFloat64, {1}, 1, 1, 0); }) ==
        "uniform: low 1 is not below high 1");
  CHECK_THROWS_AS(test::random_normal(DType::kFloat64, {1}, 0, -1, 0), SpecError);
  CHECK_THROWS_AS(test::random_uniform(DType::kFloat64, {1}, 0, std::nan(""), 0), SpecError);
}

TEST_CASE("A range counts in steps, in every dtype") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    if (dtype == DType::kBool) continue;
    const Array array = arange(dtype, {5}, 1, 2);
    dispatch(dtype, [&](auto zero) {
      using T = decltype(zero);
      const T last = array.as<T>()[4];
      if constexpr (ReducedFloat<T>)
        CHECK(to_float(last) == to_float(from_float<T>(9)));
      else
        CHECK(last == T(9));
    });
  }
}

TEST_CASE("Arrays of nothing can be filled") {
  CHECK(test::random_uniform(DType::kFloat32, {0, 3}, 0, 1, 1).size() == 0);
  CHECK(arange(DType::kInt32, {0}).size() == 0);
}

std::vector<double> values(const Array& array) {
  return {array.as<double>().begin(), array.as<double>().end()};
}

TEST_CASE("A shift of the seeds gives other numbers of the same kind, equal for each shift") {
  const std::vector<double> plain = values(test::random_uniform(DType::kFloat64, {100}, 2, 3, 7));
  const auto shifted = [](std::uint64_t shift, std::uint64_t seed) {
    return values(RandomSource(shift).uniform(DType::kFloat64, {100}, 2, 3, seed));
  };
  CHECK(shifted(0, 7) == plain);
  CHECK(shifted(1, 7) != plain);
  CHECK(shifted(1, 7) == shifted(1, 7));
  CHECK(shifted(1, 7) != shifted(2, 7));
  // Arrays of different seeds remain different, and of equal seeds equal.
  CHECK(shifted(1, 7) != shifted(1, 8));
  for (const double value : shifted(1, 7)) CHECK((value >= 2 && value < 3));
}

TEST_CASE("Normal numbers follow a shift") {
  const Array plain = test::random_normal(DType::kFloat64, {100}, 0, 1, 3);
  const auto shifted = [](std::uint64_t shift) {
    return values(RandomSource(shift).normal(DType::kFloat64, {100}, 0, 1, 3));
  };
  CHECK(shifted(0) == values(plain));
  CHECK(shifted(5) != values(plain));
}

TEST_CASE("Memory of random arrays is listed, also without a shift") {
  for (const std::uint64_t shift : {0u, 9u}) {
    RandomSource random(shift);
    const Array a = random.uniform(DType::kInt32, {10}, 0, 5, 1);
    const Array b = random.normal(DType::kFloat32, {10}, 0, 1, 1);
    CHECK(random.made() == std::vector<const std::byte*>{a.data(), b.data()});
    CHECK(random.has_made(a));
    CHECK_FALSE(random.has_made(arange(DType::kFloat64, {100})));
  }
}

TEST_CASE("A shift puts rows, or the elements of one axis, in another order") {
  const Array line = arange(DType::kFloat64, {1000});
  const auto under = [](std::uint64_t shift, const Array& array) {
    return RandomSource(shift).reordered(array);
  };
  CHECK(under(0, line).data() == line.data());
  const Array other = under(5, line), again = under(5, line), third = under(6, line);
  CHECK(values(other) != values(line));
  CHECK(values(other) == values(again));
  CHECK(values(other) != values(third));
  auto sorted = values(other);
  std::ranges::sort(sorted);
  CHECK(sorted == values(line));

  const Array rows = under(5, line.reshape({100, 10}));
  std::vector<double> firsts;
  for (std::size_t row = 0; row < 100; ++row) {
    const double first = values(rows)[10 * row];
    CHECK(values(rows)[10 * row + 9] == first + 9);
    firsts.push_back(first);
  }
  CHECK_FALSE(std::ranges::is_sorted(firsts));
  CHECK(values(under(5, line.reshape({1, 1000}))) != values(line));
  CHECK(values(under(5, line.slice(0, 0, 1, 1))).size() == 1);
}

TEST_CASE("Most neighbours stay neighbours in another order, and none stays at its place") {
  for (const std::int64_t size : {2, 3, 64, 65, 5000, 200'000}) {
    CAPTURE(size);
    const Array line = arange(DType::kFloat64, {size});
    for (std::uint64_t shift = 1; shift <= 20; ++shift) {
      const Array other = RandomSource(shift).reordered(line);
      const auto values = other.as<double>();
      std::int64_t neighbours = 0, kept = 0;
      for (std::int64_t k = 0; k < size; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (values[at] == static_cast<double>(k)) ++kept;
        if (k > 0 && values[at] == values[at - 1] + 1) ++neighbours;
      }
      CHECK(kept == 0);
      if (size > 64) CHECK(neighbours >= size - 65);
    }
  }
}

}  // namespace
}  // namespace kernelbatch
