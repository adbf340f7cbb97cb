#include "core/verify/vacuity.hpp"

#include <cmath>
#include <limits>

#include "core/verify/known_answers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

using Values = std::vector<double>;
using Inputs = std::vector<std::pair<std::string, Array>>;

Tolerance within(double rtol, double atol = 0) {
  return {.mode = CompareMode::kAllClose, .rtol = rtol, .atol = atol};
}

std::string asked(const Array& want, const Tolerance& tolerance, const Inputs& inputs = {}) {
  const OutputArray spec{
      .name = "z", .dtype = want.dtype(), .shape = want.shape(), .tolerance = tolerance};
  return vacuous_tolerance({spec}, {{"z", want}}, inputs);
}

Array drawn(std::int64_t n, double low, double high, std::uint64_t seed = 1) {
  return test::random_uniform(DType::kFloat64, {n}, low, high, seed);
}

TEST_CASE("A usual tolerance lets no wrong answer pass") {
  CHECK(asked(drawn(1000, 0, 1), within(1e-6)).empty());
  CHECK(asked(drawn(100'000, 0, 1), within(1e-6)).empty());
  CHECK(asked(drawn(100'000, -1, 1), within(1e-6, 1e-6)).empty());
  CHECK(asked(drawn(1000, 0, 1), {CompareMode::kExact}).empty());
}

TEST_CASE("A tolerance that zeros would pass is vacuous") {
  CHECK_THAT(asked(drawn(1000, 0, 1e-7), within(1e-6, 1e-5)),
             Contains("vacuous tolerance: zeros would pass as output 'z' (rtol=1e-06 atol=1e-05)"));
  // More than the sample.
  CHECK_THAT(asked(drawn(50'000, 0, 1e-7), within(1e-6, 1e-5)), Contains("zeros would pass"));
  // Also for a single number.
  CHECK_THAT(asked(Array::from(Values{1e-7}), within(0, 1e-5)), Contains("zeros would pass"));
}

TEST_CASE("A tolerance is vacuous if all elements to which it applies would pass") {
  Values values(1000, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < 500; ++k) values[k] = 1 + static_cast<double>(k % 7);
  values[600] = std::numeric_limits<double>::infinity();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK_THAT(asked(Array::from(values), within(infinite)), Contains("zeros would pass"));
  CHECK_THAT(asked(Array::from(values), within(0, 3.5)), Contains("zeros would pass"));
  CHECK(asked(Array::from(values), within(0, 0.1)).empty());
  // No element is left to check.
  CHECK(asked(Array::from(Values(9, infinite)), within(0, 0.1)).empty());
}

TEST_CASE("A tolerance that a constant would pass is vacuous") {
  CHECK_THAT(asked(drawn(1000, 10, 12), within(0, 1.5)), Contains("a constant would pass"));
  CHECK(asked(drawn(1000, 10, 12), within(0, 0.05)).empty());
  const Array integers = test::random_uniform(DType::kInt32, {1000}, 100, 110, 1);
  CHECK_THAT(asked(integers, within(0, 6)), Contains("a constant would pass"));
}

TEST_CASE("A tolerance that an input would pass is vacuous") {
  const Array input = drawn(1000, 1, 100);
  Values near;
  for (const double value : input.as<double>()) near.push_back(1.001 * value);
  const Array want = Array::from(near);
  CHECK_THAT(asked(want, within(1e-2), {{"y", drawn(1000, 1, 100, 2)}, {"x", input}}),
             Contains("the input 'x' would pass"));
  CHECK(asked(want, within(1e-4), {{"x", input}}).empty());
  // Another form than the output's is no answer.
  CHECK(asked(want, within(1e-2), {{"x", input.reshape({10, 100})}}).empty());
}

TEST_CASE("An input of another dtype is checked after conversion") {
  const Array input = test::random_uniform(DType::kInt32, {1000}, 1000, 100'000, 1);
  Values near;
  for (const std::int32_t value : input.as<std::int32_t>()) near.push_back(value + 0.25);
  CHECK_THAT(asked(Array::from(near), within(1e-3), {{"n", input}}),
             Contains("the input 'n' would pass"));
}

TEST_CASE("An input whose elements the output's dtype does not have is no answer") {
  // A quantised output: fractions become integers.
  const Array input = drawn(1000, -1000, 1000);
  Values rounded;
  for (const double value : input.as<double>()) rounded.push_back(std::round(value));
  const Array want = astype(Array::from(rounded), DType::kInt32);
  CHECK(asked(want, {CompareMode::kExact}, {{"x", input}}).empty());
  const Array bytes = Array::from(std::vector<std::int8_t>(1000, 7));
  CHECK(asked(bytes, {CompareMode::kExact}, {{"x", input}}).empty());
  const Array nan = Array::from(Values(1000, std::nan("")));
  CHECK(asked(bytes, {CompareMode::kExact}, {{"x", nan}}).empty());
}

TEST_CASE("A tolerance that lets one wrong element in a hundred pass is vacuous") {
  // Elements that are far apart are nearly equal; few are near to a constant.
  Values values(10'000);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = 1000 + static_cast<double>(k % 5000) + (k < 5000 ? 0 : 2);
  CHECK_THAT(asked(Array::from(values), within(0, 20)), Contains("1 % wrong elements would pass"));
  CHECK(asked(Array::from(values), within(0, 1e-9)).empty());
}

TEST_CASE("A tolerance that a wrong answer would pass in a tenth of the elements is vacuous") {
  // The bound of the large elements applies to all.
  Values values(10'000);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = (k % 40 == 0 ? 1e9 : 1) * (1 + 1e-4 * static_cast<double>(k % 977));
  CHECK_THAT(asked(Array::from(values), within(0, 5000)),
             Contains("zeros would pass as output 'z' in 98 % of its elements"));
  CHECK(asked(Array::from(values), within(1e-9)).empty());
  const std::vector<float> few(values.begin(), values.begin() + 80);
  CHECK_THAT(asked(Array::from(few), within(0, 5000)), Contains("zeros would pass"));
  // A constant passes in one of eleven elements, then in one of eight.
  CHECK(asked(drawn(10'000, 10, 12), within(0, 1.0 / 11)).empty());
  CHECK_THAT(asked(drawn(10'000, 10, 12), within(0, 1.0 / 8)),
             Contains("a constant would pass as output 'z' in 1"));
  // Bounds of single elements let none pass.
  Tolerance bounds{.mode = CompareMode::kReduction, .terms = 1000};
  bounds.absolute_sum = 1e9 * 1e6;
  CHECK_FALSE(asked(Array::from(values), bounds).empty());
  bounds.row_bounds = Array::from(values);
  CHECK(asked(Array::from(values), bounds).empty());
}

TEST_CASE("Elements that almost equal a constant are no finding") {
  // Like a saturating function.
  Values values(10'000);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = std::tanh(10 * std::sin(static_cast<double>(k)));
  CHECK(asked(Array::from(values), within(1e-6)).empty());
}

KnownAnswers known(const Array& first, const Array& second, const Tolerance& tolerance) {
  const OutputArray spec{
      .name = "z", .dtype = second.dtype(), .shape = second.shape(), .tolerance = tolerance};
  return known_answers({spec}, {{"z", first}}, {{"z", second}});
}

TEST_CASE("A tolerance that lets the answer to other inputs pass is vacuous") {
  const Array first = Array::from(Values{0.5001}), second = Array::from(Values{0.4998});
  CHECK(known(first, second, within(0.05)).vacuous ==
        "vacuous tolerance: the answer to the first inputs would pass as output 'z' of the second "
        "(rtol=0.05 atol=0)");
  CHECK(known(first, second, within(1e-6)).vacuous.empty());
  CHECK(known(first, second, within(1e-6)).note.empty());
  CHECK_FALSE(known(drawn(1000, 1, 1.01), drawn(1000, 1, 1.01, 2), within(0.05)).vacuous.empty());
  CHECK(known(drawn(1000, 1, 1.01), drawn(1000, 1, 1.01, 2), within(1e-6)).vacuous.empty());
  // Low-precision means that happen to be equal.
  const Array half = astype(Array::from(Values{0.5}), DType::kFloat16);
  CHECK_THAT(known(half, half, within(0.05)).vacuous, Contains("wrong by 4 %"));
  CHECK(known(half, half, within(1e-3)).vacuous.empty());
}

TEST_CASE("An output much closer to its own answer distinguishes two answers") {
  const auto one = [](double value) { return Array::from(Values{value}); };
  CHECK(distinguishes(one(0.99998), one(0.99998), one(0.99995)));
  CHECK(distinguishes(one(0.9999798), one(0.99998), one(0.99995)));
  // A value known in advance is close to neither, or to the other one.
  CHECK_FALSE(distinguishes(one(1), one(0.99998), one(0.99995)));
  CHECK_FALSE(distinguishes(one(0.99995), one(0.99998), one(0.99995)));
  CHECK_FALSE(distinguishes(one(0.5), one(0.5), one(0.5)));
  CHECK_FALSE(
      distinguishes(drawn(1000, 1, 1.01), drawn(1000, 1, 1.01, 2), drawn(1000, 1, 1.01, 3)));
}

TEST_CASE("Answers that do not differ are noted") {
  const Array yes = Array::from(std::vector<std::int32_t>{1});
  CHECK(known(yes, yes, {CompareMode::kExact}).note == "'z' is the same for both sets of inputs");
  CHECK(known(yes, yes, {CompareMode::kExact}).vacuous.empty());
  const Array same = drawn(1000, 0, 1);
  CHECK(known(same, same, within(1e-6)).vacuous.empty());
  CHECK_FALSE(known(same, same, within(1e-6)).note.empty());
  CHECK(known(Array::from(Values{}), Array::from(Values{}), within(1)).note.empty());
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Array all = Array::from(Values(1000, value));
    CHECK(known(all, all, within(1e-6)).vacuous.empty());
    CHECK_FALSE(known(all, all, within(1e-6)).note.empty());
  }
}

TEST_CASE("Honest outputs that look like a wrong answer are no finding") {
  const Tolerance usual = within(1e-6, 1e-8);
  CHECK(asked(Array::from(Values(1000, 0.0)), usual).empty());
  CHECK(asked(Array::from(Values(1000, 3.5)), usual).empty());
  const Array input = drawn(1000, 1, 2);
  CHECK(asked(input, usual, {{"x", input}}).empty());
  CHECK(asked(Array::from(Values(1000, std::nan(""))), usual).empty());
  CHECK(asked(Array::from(Values(1000, HUGE_VAL)), usual).empty());
  CHECK(asked(Array::from(Values{2.5}), usual).empty());
  CHECK(asked(Array::from(Values{0}), usual).empty());
  CHECK(asked(Array::from(Values{}), usual).empty());
  CHECK(asked(Array::on_host(DType::kFloat64, {3, 0}), usual).empty());
}

TEST_CASE("Mostly zeros with some numbers are no finding") {
  Values values(10'000, 0.0);
  for (std::size_t k = 0; k < values.size(); k += 500) values[k] = 1;
  CHECK(asked(Array::from(values), within(1e-6)).empty());
}

TEST_CASE("NaNs and infinities among numbers are no finding") {
  const Array array = drawn(1000, 0, 1);
  for (std::size_t k = 0; k < 1000; k += 3) array.as<double>()[k] = std::nan("");
  for (std::size_t k = 1; k < 1000; k += 3)
    array.as<double>()[k] = k % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
  CHECK(asked(array, within(1e-6)).empty());
}

TEST_CASE("Every dtype can be checked") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    const Array want = test::random_uniform(dtype, {1000}, 0, dtype == DType::kBool ? 2 : 100, 1);
    CAPTURE(name_of(dtype));
    CHECK(asked(want, {CompareMode::kExact}).empty());
    // All numbers are within this tolerance.
    if (dtype != DType::kBool)
      CHECK_THAT(asked(want, within(0, 1000)), Contains("zeros would pass"));
  }
}

TEST_CASE("The middle of the largest and smallest integers is computed") {
  const Array want = Array::from(std::vector<std::int64_t>{
      std::numeric_limits<std::int64_t>::min(), 5, std::numeric_limits<std::int64_t>::max()});
  CHECK(asked(want, {CompareMode::kExact}).empty());
}

TEST_CASE("Outputs without a reference are skipped, later ones are checked") {
  const Array small = drawn(100, 0, 1e-7);
  const OutputArray unverified{
      .name = "a", .shape = {100}, .tolerance = within(0, 1), .has_reference = false};
  const OutputArray unknown{.name = "b", .shape = {100}, .tolerance = within(0, 1)};
  const OutputArray other{
      .name = "c", .shape = {100}, .tolerance = within(0, 1), .compared_with = "z"};
  CHECK(vacuous_tolerance({unverified, unknown}, {{"a", small}}, {}).empty());
  CHECK_THAT(vacuous_tolerance({unverified, unknown, other}, {{"a", small}, {"z", small}}, {}),
             Contains("output 'c'"));
}

TEST_CASE("A reference of another dtype is converted to the output's") {
  const OutputArray spec{
      .name = "z", .dtype = DType::kFloat32, .shape = {1000}, .tolerance = within(1e-5)};
  CHECK(vacuous_tolerance({spec}, {{"z", drawn(1000, 0, 1)}}, {}).empty());
}

TEST_CASE("Fewer than eight elements may be close to a constant or an input by chance") {
  const auto near = [](std::int64_t n) { return drawn(n, 10, 12); };
  CHECK(asked(near(7), within(0, 3), {{"x", near(7)}}).empty());
  CHECK_THAT(asked(near(8), within(0, 3)), Contains("a constant would pass"));
  const Array other = drawn(7, 10, 12, 2);
  CHECK(asked(near(7), within(0, 3), {{"x", other}}).empty());
  // Zeros do not occur by chance.
  CHECK_THAT(asked(near(7), within(0, 13)), Contains("zeros would pass"));
}

TEST_CASE("A complex input is no answer to an output of numbers") {
  const Array input = test::random_uniform(DType::kComplex64, {1000}, 0, 1, 1);
  CHECK(asked(drawn(1000, 0, 1), within(1e-6), {{"x", input}}).empty());
}

}  // namespace
}  // namespace kernelbatch
