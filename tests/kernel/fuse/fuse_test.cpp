#include "core/kernel/fuse/fuse.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tuple>

#include "core/array/number.hpp"
#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/kernel/fuse/fused_plan.hpp"
#include "core/kernel/fuse/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/random.hpp"

using namespace kernelbatch;

namespace {

template <class T>
std::vector<T> values(const Array& array, Stream& stream) {
  const Array host = to_host(array, stream);
  const auto span = host.as<T>();
  return {span.begin(), span.end()};
}

struct Fixture {
  std::unique_ptr<Stream> queue = test::device().make_stream();
  Stream& stream = *queue;
  Array x = to_device(arange(DType::kFloat32, {2, 5}), stream);
  Array y = to_device(arange(DType::kFloat32, {5}), stream);
  Array square = to_device(arange(DType::kFloat32, {5, 5}), stream);
};

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const SpecError& error) {
    return error.what();
  }
  return "not refused";
}

/// Values of each result of `text`, converted to float64, and its dtype.
struct Evaluated {
  std::vector<std::vector<double>> values;
  std::vector<std::string> dtypes;
};
Evaluated evaluate(std::string_view text, std::vector<Array> inputs) {
  const auto queue = test::device().make_stream();
  for (Array& input : inputs) input = to_device(input, *queue);
  const std::vector<std::string> names{"x", "y"};
  const FusedKernel kernel(parse_fused(text, {names.begin(), names.begin() + ssize(inputs)}));
  Evaluated result;
  for (const Array& out : kernel.call(*queue, inputs)) {
    result.dtypes.emplace_back(name_of(out.dtype()));
    result.values.push_back(values<double>(astype(to_host(out, *queue), DType::kFloat64), *queue));
  }
  return result;
}
using Lists = std::vector<std::vector<double>>;
using NameList = std::vector<std::string>;
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("numbers combined with numbers stay weak") {
  const auto real = evaluate("(1/2)*x, sin(2*pi*x), x*2**3, x*(7//2), x*(-7%3), x*sqrt(4), 2**-1*x",
                             {Array::from<float>({3})});
  CHECK(real.dtypes == NameList(7, "float32"));
  CHECK(real.values[0] == std::vector<double>{1.5});
  CHECK(std::fabs(real.values[1][0]) < 1e-5);
  CHECK(Lists(real.values.begin() + 2, real.values.end()) == Lists{{24}, {9}, {6}, {6}, {1.5}});

  const auto whole = evaluate("x*(2+3), x + 7//2, x + -7%3, x*(1 << 4), x + abs(-3), x + (5 > 4)",
                              {Array::from<std::int16_t>({2})});
  CHECK(whole.dtypes == NameList(6, "int16"));
  CHECK(whole.values == Lists{{10}, {5}, {4}, {32}, {5}, {3}});
}

TEST_CASE("a number out of an integer array's range is refused, or compared exactly") {
  const Array bytes = Array::from<std::uint8_t>({0, 200});
  CHECK_THAT(refusal([&] { evaluate("x + 300", {bytes}); }),
             Contains("'add' cannot be fused: 300 is out of range for uint8"));
  CHECK_THAT(refusal([&] { evaluate("x * -1", {bytes}); }), Contains("-1 is out of range"));
  CHECK_THAT(refusal([&] { evaluate("where(x > 1, x, 256)", {bytes}); }),
             Contains("256 is out of range"));
  CHECK_THAT(refusal([&] { evaluate("astype(300, uint8) + x", {bytes}); }),
             Contains("300 is out of range"));
  CHECK_THAT(refusal([&] { evaluate("x + 1/0", {bytes}); }),
             Contains("division by zero, column 6"));

  const auto compared = evaluate(
      "x < 300, x > -1, 300 <= x, x == -56, x != 456, x < 18446744073709551617, x / 300, "
      "-x + 255",
      {bytes});
  CHECK(compared.values ==
        Lists{{1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {0, 200 / 300.0}, {255, 55}});
}

TEST_CASE("signed and unsigned integers of 64 bits are compared exactly") {
  const Array a = Array::from<std::int64_t>({-1, 9007199254740993, 9007199254740993});
  const Array b =
      Array::from<std::uint64_t>({18446744073709551615u, 9007199254740992u, 9007199254740993u});

  const auto got = evaluate("x < y, x == y, y >= x, y > x", {a, b});

  CHECK(got.values == Lists{{1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}});
  CHECK(evaluate("x == 18446744073709551615, x + 9223372036854775808 > 5", {b}).values ==
        Lists{{1, 0, 0}, {1, 1, 1}});
}

TEST_CASE("a number combined with float16 is rounded to it first") {
  CHECK(evaluate("x * 100000 * 0.5", {Array::from<Float16>({from_float<Float16>(1)})}).values ==
        Lists{{kInf}});
}

TEST_CASE("a zero keeps its sign") {
  const auto got = evaluate("1 / (x * -0.0), 1 / (x * 0.0)", {Array::from<double>({2})});
  CHECK(got.values == Lists{{-kInf}, {kInf}});
}

TEST_CASE("shifts by the width and more, and by negative numbers, are NumPy's") {
  const Array a = Array::from<std::int32_t>({1, -5, 7, -8});
  const Array by = Array::from<std::int32_t>({32, 40, -1, 31});

  const auto got = evaluate("x << y, x >> y, x << 33, x >> 99", {a, by});

  CHECK(got.values == Lists{{0, 0, 0, 0}, {0, -1, 0, -1}, {0, 0, 0, 0}, {0, -1, 0, -1}});
  CHECK(evaluate("x << 8, x >> 8, x << 7", {Array::from<std::uint8_t>({255})}).values ==
        Lists{{0}, {0}, {128}});
  CHECK(evaluate("x << 64, x >> 64, x >> 63", {Array::from<std::int64_t>({-1})}).values ==
        Lists{{0}, {-1}, {-1}});
}

TEST_CASE("integer division has a result for every pair") {
  const Array least = Array::from<std::int32_t>({INT32_MIN, INT32_MIN, 7, -7});
  const Array by = Array::from<std::int32_t>({-1, 0, 0, -2});

  const auto got = evaluate("x // y, x % y, abs(x) // 1, -x", {least, by});

  CHECK(got.values == Lists{{INT32_MIN, 0, 0, 3},
                            {0, 0, 0, -1},
                            {INT32_MIN, INT32_MIN, 7, 7},
                            {INT32_MIN, INT32_MIN, -7, 7}});
  const auto wide = evaluate("x // -1, x % -1", {Array::from<std::int64_t>({INT64_MIN})});
  CHECK(wide.values == Lists{{static_cast<double>(INT64_MIN)}, {0}});
  CHECK(evaluate("x // 255, x % 255", {Array::from<std::uint8_t>({254, 255})}).values ==
        Lists{{0, 1}, {254, 0}});
}

TEST_CASE("floor_divide and the remainder of reals are one pair, as in Python") {
  const auto got = evaluate("x // y, x % y", {Array::from<double>({1, -1, 5, 1, -3}),
                                              Array::from<double>({0.1, 0.1, kInf, 0, 3})});

  CHECK(got.values[0] == std::vector<double>{9, -10, 0, kInf, -1});
  CHECK(got.values[1][0] == Approx(0.1));
  CHECK(got.values[1][2] == 5);
  CHECK(std::isnan(got.values[1][3]));
}

TEST_CASE("bool operands are computed as int8 if NumPy does so") {
  const auto got =
      evaluate("x ** y, x << y, x // y, x % y, square(x), x >> y, x + y, x * y, x ** 2",
               {Array::from<bool>({true, false, true, false}),
                Array::from<bool>({true, true, false, false})});

  CHECK(got.dtypes ==
        NameList{"int8", "int8", "int8", "int8", "int8", "int8", "bool", "bool", "int64"});
  CHECK(got.values == Lists{{1, 0, 1, 1},
                            {2, 0, 1, 0},
                            {1, 0, 0, 0},
                            {0, 0, 0, 0},
                            {1, 0, 1, 0},
                            {0, 0, 1, 0},
                            {1, 1, 1, 0},
                            {1, 0, 0, 0},
                            {1, 0, 1, 0}});
}

TEST_CASE("powers of integers wrap, and a negative power is refused or truncated") {
  const Array base = Array::from<std::int32_t>({3, -1, -1, 2, 1, 0});
  const Array by = Array::from<std::int32_t>({21, -3, -2, -1, -9, -1});

  CHECK(evaluate("x ** y", {base, by}).values == Lists{{1870418611, -1, 1, 0, 1, 0}});
  CHECK_THAT(refusal([&] { evaluate("x ** -1", {base}); }),
             Contains("integers to a negative power; write -1.0"));
}

TEST_CASE("a literal exponent of 0.5 is a square root, as in NumPy") {
  const Array base = Array::from<double>({-std::numeric_limits<double>::infinity(), -0.0, 2.25});
  const Array half = Array::from<double>({0.5});
  CHECK(evaluate("isnan(x ** 0.5), 1 / where(x < -1, 1, x ** 0.5), x ** y", {base, half}).values ==
        Lists{{1, 0, 0},
              {1, -std::numeric_limits<double>::infinity(), 1 / 1.5},
              {std::numeric_limits<double>::infinity(), 0, 1.5}});
}

TEST_CASE("a complex zero to a power is zero if the exponent's real part is positive") {
  using Complex = std::complex<float>;
  const Array base = Array::from<float>({0, 0, 0, 0, 0, 2});
  const Array by = Array::from<Complex>({{2, 0.5f}, {2, 0}, {0, 0}, {-2, 0.5f}, {0, 1}, {0, 0}});
  CHECK(evaluate("where(isnan(x ** y), 9, abs(x ** y))", {base, by}).values ==
        Lists{{0, 0, 1, 9, 9, 1}});
}

TEST_CASE("integers wrap, in reductions, too") {
  const Array most = Array::from<std::int64_t>({INT64_MAX, 1});
  CHECK(evaluate("x + 1, x * 2, abs(-x - 1)", {most}).values ==
        Lists{{static_cast<double>(INT64_MIN), 2}, {-2, 2}, {static_cast<double>(INT64_MIN), 2}});
  CHECK(evaluate("sum(x)", {most}).values == Lists{{static_cast<double>(INT64_MIN)}});
  CHECK(evaluate("x * x", {Array::from<std::uint16_t>({65535})}).values == Lists{{1}});
}

TEST_CASE_METHOD(Fixture, "an elementwise expression broadcasts like NumPy") {
  const auto f = fuse([](auto a, auto b) { return (a - b) * (a - b); });

  const auto out = f(stream, x, y);

  REQUIRE(out.size() == 1);
  CHECK(out[0].shape() == Shape{2, 5});
  CHECK(values<float>(out[0], stream) == std::vector<float>{0, 0, 0, 0, 0, 25, 25, 25, 25, 25});
}

TEST_CASE_METHOD(Fixture, "several results of one expression come from one kernel") {
  const auto f = fuse([](auto a) { return std::tuple{a * 2, where(a > 2, a, -1), a > 2}; });

  const auto out = f(stream, y);

  REQUIRE(out.size() == 3);
  CHECK(values<float>(out[0], stream) == std::vector<float>{0, 2, 4, 6, 8});
  CHECK(values<float>(out[1], stream) == std::vector<float>{-1, -1, -1, 3, 4});
  CHECK(out[2].dtype() == DType::kBool);
}

TEST_CASE_METHOD(Fixture, "integers divide to float64 and take Python's floor and remainder") {
  const Array k = to_device(Array::from<int>({-7, -6, 6, 7}), stream);
  const auto f = fuse([](auto a) { return std::tuple{a / 2, floor_divide(a, 4), a % 4}; });

  const auto out = f(stream, k);

  CHECK(values<double>(out[0], stream) == std::vector<double>{-3.5, -3, 3, 3.5});
  CHECK(values<int>(out[1], stream) == std::vector<int>{-2, -2, 1, 1});
  CHECK(values<int>(out[2], stream) == std::vector<int>{1, 2, 2, 3});
}

TEST_CASE_METHOD(Fixture, "work before and after a reduction joins it in one kernel") {
  const auto f = fuse([](auto a, auto b) { return sqrt(sum((a - b) * (a - b), axis(-1))); });

  const auto out = f(stream, x, y);

  CHECK(out[0].shape() == Shape{2});
  CHECK(values<float>(out[0], stream) == std::vector<float>{0, std::sqrt(125.0f)});
}

TEST_CASE_METHOD(Fixture, "mean, variance and maximum take one pass") {
  const auto f = fuse([](auto a) {
    return std::tuple{mean(a, axis(1)), var(a, axis(1)), max(a, axis(1)), min(a, axis(1))};
  });

  const auto out = f(stream, x);

  CHECK(values<float>(out[0], stream) == std::vector<float>{2, 7});
  CHECK(values<float>(out[1], stream) == std::vector<float>{2, 2});
  CHECK(values<float>(out[2], stream) == std::vector<float>{4, 9});
  CHECK(values<float>(out[3], stream) == std::vector<float>{0, 5});
}

TEST_CASE_METHOD(Fixture, "sums over the first axis and over all axes are right") {
  const auto first = fuse([](auto a) { return sum(a, axis(0)); })(stream, x);
  const auto all_of = fuse([](auto a) { return std::tuple{sum(a), prod(a + 1)}; })(stream, y);

  CHECK(values<float>(first[0], stream) == std::vector<float>{5, 7, 9, 11, 13});
  CHECK(values<float>(all_of[0], stream) == std::vector<float>{10});
  CHECK(values<float>(all_of[1], stream) == std::vector<float>{120});
}

TEST_CASE_METHOD(Fixture, "softmax of rows of every length sums to one and keeps the order") {
  const auto softmax = fuse([](auto a) {
    const auto e = exp(a - max(a, axis(-1).keep()));
    return e / sum(e, axis(-1).keep());
  });
  for (const std::int64_t length : {1, 2, 31, 32, 33, 127, 128, 129, 1000, 5000, 20000}) {
    const Array a = to_device(test::random_normal(DType::kFloat64, {3, length}, 0, 2, 5), stream);

    const auto got = values<double>(softmax(stream, a)[0], stream);

    const auto from = values<double>(a, stream);
    for (std::int64_t row = 0; row < 3; ++row) {
      double total = 0;
      for (std::int64_t k = 0; k < length; ++k)
        total += std::exp(from[static_cast<std::size_t>(row * length + k)]);
      for (std::int64_t k = 0; k < length; ++k) {
        const auto at = static_cast<std::size_t>(row * length + k);
        REQUIRE(got[at] == Approx(std::exp(from[at]) / total).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE_METHOD(Fixture, "softmax and the logarithm of a sum of exponentials have names") {
  const Array rows = Array::from<double>({1, 2, 3, 700, 800, 800}).reshape({2, 3});
  const auto got = evaluate(
      "logsumexp(x, axis=1), softmax(x, axis=-1), log_softmax(x, axis=1), logsumexp(x, 1, "
      "keepdims=True), -logsumexp(x, axis=1) * 2",
      {rows});

  const double first = 3 + std::log(1 + std::exp(-1.0) + std::exp(-2.0));
  REQUIRE(got.values[0].size() == 2);
  CHECK(got.values[0][0] == Approx(first));
  CHECK(got.values[0][1] == Approx(800 + std::log(2.0)));
  CHECK(got.values[1][2] == Approx(std::exp(3 - first)));
  CHECK(got.values[1][3] == Approx(0).margin(1e-40));
  CHECK(got.values[2][3] == Approx(-100 - std::log(2.0)));
  CHECK(got.values[3] == got.values[0]);
  CHECK(got.values[4][0] == Approx(-2 * first));
  CHECK(evaluate("logsumexp(x)", {rows}).values[0][0] == Approx(800 + std::log(2.0)));
  CHECK_THAT(refusal([&] { evaluate("softmax(x, keepdims=True)", {rows}); }),
             Contains("'softmax' keeps its axes, column 1"));
  CHECK_THAT(refusal([&] { evaluate("cumsum(x)", {rows}); }),
             Contains("'cumsum' is not there: each result needs all elements before it"));
  CHECK_THAT(refusal([&] {
               evaluate("x - logsumexp(x, axis=1)", {arange(DType::kFloat64, {3, 3})});
             }),
             Contains("it must keep its axes (keepdims) to line up with the elements"));
}

TEST_CASE_METHOD(Fixture, "16 bits of a result are right where its functions are rough") {
  std::vector<float> values;
  for (int k = -3000; k < 3000; ++k) values.push_back(static_cast<float>(k) * 0.004f);
  const auto got = evaluate(
      "astype(astype(tanh(x), float16), float64), astype(astype(exp(x), float16), float64)",
      {Array::from<float>(values)});
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double at = values[k], tangent = std::tanh(at), power = std::exp(at);
    REQUIRE(std::abs(got.values[0][k] - tangent) <= 0x1.2p-11 * std::abs(tangent) + 1e-7);
    if (at < 11) REQUIRE(std::abs(got.values[1][k] - power) <= 0x1.2p-11 * power + 6e-8);
  }
}

TEST_CASE_METHOD(Fixture, "normalised rows come with their means") {
  const auto f = fuse([](auto a) {
    const auto m = mean(a, axis(-1).keep());
    return std::tuple{(a - m) / sqrt(var(a, axis(-1).keep())), m};
  });

  const auto out = f(stream, x);

  CHECK(out[1].shape() == Shape{2, 1});
  CHECK(values<float>(out[1], stream) == std::vector<float>{2, 7});
  const auto got = values<float>(out[0], stream);
  for (std::size_t k = 0; k < got.size(); ++k)
    CHECK(got[k] == Approx((static_cast<float>(k % 5) - 2) / std::sqrt(2.0f)));
}

TEST_CASE_METHOD(Fixture, "what cannot be fused is refused with its reason") {
  CHECK(refusal([&] { fuse([](auto a) { return a + sum(a, axis(1)); })(stream, square); }) ==
        "fuse: 'sum' cannot be fused with what uses its result: it must keep its axes (keepdims) "
        "to line up with the elements");
  CHECK(refusal([&] {
          fuse([](auto a) { return std::tuple{sum(a, axis(0)), max(a, axis(1))}; })(stream, x);
        }) ==
        "fuse: 'max' cannot be fused: it reduces axes (1), an earlier reduction (0): one kernel "
        "reduces "
        "the same axes");
  std::string many = "var(x)";
  for (int k = 2; k < 12; ++k) many += ", var(x * " + std::to_string(k) + ")";
  CHECK(refusal([&] { evaluate(many, {arange(DType::kFloat64, {9})}); }) ==
        "fuse: 'var' cannot be fused: reductions side by side hold 264 bytes for each output, one "
        "kernel at most 256");
  CHECK(refusal([&] { evaluate("max(x)", {arange(DType::kFloat64, {0})}); }) ==
        "fuse: 'max' cannot be fused: there is no element to reduce");
  CHECK(refusal([&] { fuse([](auto a) { return a & 1; })(stream, x); }) ==
        "fuse: 'bitwise_and' cannot be fused: its operands are float32, not integers");
  CHECK(refusal([&] {
          fuse([](auto a, auto b) { return a + b; })(
              stream, x, to_device(arange(DType::kFloat32, {3}), stream));
        }) == "operands could not be broadcast together with shapes (2, 5) (3,)");
}

TEST_CASE_METHOD(Fixture, "text and traced operators give the same results") {
  const FusedKernel text(parse_fused("sum((x - y) ** 2, axis=-1), max(x, axis=1)", {"x", "y"}));

  const Array inputs[] = {x, y};
  const auto out = text.call(stream, inputs);

  CHECK(values<float>(out[0], stream) == std::vector<float>{0, 125});
  CHECK(values<float>(out[1], stream) == std::vector<float>{4, 9});
}

TEST_CASE_METHOD(Fixture, "operators in text bind as Python's do") {
  const FusedKernel text(
      parse_fused("2 + 3 * x ** 2, -x ** 2, (x + 1) // 2 % 2, x < 3, clip(x, 1, 3)", {"x"}));

  const Array inputs[] = {y};
  const auto out = text.call(stream, inputs);

  CHECK(values<float>(out[0], stream) == std::vector<float>{2, 5, 14, 29, 50});
  CHECK(values<float>(out[1], stream) == std::vector<float>{0, -1, -4, -9, -16});
  CHECK(values<float>(out[2], stream) == std::vector<float>{0, 1, 1, 0, 0});
  CHECK(values<float>(out[4], stream) == std::vector<float>{1, 1, 2, 3, 3});
}

TEST_CASE("an error in the text is shown with a caret") {
  const auto refuse = [](std::string_view text) {
    return refusal([&] { parse_fused(text, {"x", "y"}); });
  };

  CHECK(refuse("x + z") ==
        "fuse: unknown name 'z' (did you mean 'x'?), column 5 of the expression\n  x + z\n      ^");
  CHECK(refuse("sni(x)") ==
        "fuse: unknown function 'sni' (did you mean 'sin'?), column 1 of the expression\n"
        "  sni(x)\n"
        "  ^");
  CHECK(refuse("sum(x, axes=1)") ==
        "fuse: unknown option 'axes': 'sum' takes axis, keepdims, dtype, column 8 of the "
        "expression\n"
        "  sum(x, axes=1)\n"
        "         ^");
  CHECK(refuse("(x + y") == "fuse: no closing ')', column 1 of the expression\n  (x + y\n  ^");
  CHECK(refuse("x y") == "fuse: unexpected 'y', column 3 of the expression\n  x y\n    ^");
  CHECK_THAT(refuse("x +"), Contains("something is missing at the end, column 4"));
  CHECK_THAT(refuse(""), Contains("the expression is empty"));
  CHECK_THAT(refuse("2x"), Contains("'2x' is not a number, column 1"));
  CHECK_THAT(refuse("x > 1 && y > 1"), Contains("'&&' is not an operator here: write '&'"));
  CHECK_THAT(refuse("not x"), Contains("'not' is not an operator here: write '~'"));
  CHECK_THAT(refuse("x = 1"), Contains("'=' is not an operator here: compare with '=='"));
  CHECK_THAT(refuse("sin(x, y)"), Contains("'sin' takes 1 operands, 2 were given, column 1"));
  CHECK_THAT(refuse("sin(x, axis=1)"), Contains("unexpected option 'axis', column 8"));
  CHECK_THAT(refuse("sum(x, y)"), Contains("the second operand of 'sum' is its axis, a number, "
                                           "column 8"));
  CHECK_THAT(refuse("max(x, y)"), Contains("of two operands write maximum(x, y), column 8"));
  CHECK_THAT(refuse("x.min(y)"), Contains("write minimum(x, y), column 7"));
  CHECK_THAT(refuse("max(x, dtype=float32)"), Contains("'max' takes axis, keepdims, column 8"));
  CHECK_THAT(refuse("np.linalg.norm(x)"), Contains("unknown function 'linalg.norm', column 1"));
  CHECK_THAT(refuse("x.sun()"), Contains("unknown function 'sun' (did you mean 's"));
  CHECK_THAT(refuse("sum(x, axis=y)"), Contains("expected a whole number, column 13"));
  CHECK_THAT(refuse("sum(x, keepdims=1)"), Contains("keepdims is True or False, column 17"));
  CHECK_THAT(refuse("sum(x, axis=(0, 1)"), Contains("expected ',' or ')', column 4"));
  CHECK_THAT(refuse("(x, y) + 1"), Contains("a tuple stands only after 'axis=', column 1"));
  CHECK_THAT(refuse("x + 'y'"), Contains("text is no operand, column 5"));
  CHECK_THAT(refuse("astype(x, flaot32)"), Contains("did you mean 'float32'?), column 11"));
  CHECK_THAT(refuse("astype(x)"), Contains("'astype' takes an operand and a dtype, column 1"));
  CHECK(refuse("0.5 < x < 2") ==
        "fuse: comparisons of arrays make no chain: write (0.5 < x) & (x < 2), column 9 of the "
        "expression\n  0.5 < x < 2\n          ^");
  CHECK_THAT(refuse("x < y + 1 == 2"), Contains("write (x < ...) & (... == 2), column 11"));
  CHECK_THAT(refuse("foo(x)"), Contains("unknown function 'foo', column 1"));
  CHECK_THAT(refuse("x[0]"), Contains("unexpected '[', column 2"));
}

TEST_CASE("a caret is right behind characters of several bytes and line ends") {
  CHECK(refusal([] { parse_fused("x +\n  z", {"x"}); }) ==
        "fuse: unknown name 'z' (did you mean 'x'?), column 7 of the expression\n"
        "  x +   z\n"
        "        ^");
}

TEST_CASE("options and results have Python's commas") {
  const auto axes = [](std::string_view text) {
    const Graph graph = parse_fused(text, {"x"});
    return graph.node(graph.outputs.at(0)).axes;
  };

  CHECK(axes("sum(x, axis=(0, -1), keepdims=True)").axes == std::vector<int>{0, -1});
  CHECK(axes("sum(x, axis=(0, -1), keepdims=True)").keepdims);
  CHECK(axes("sum(x, axis=(1,))").axes == std::vector<int>{1});
  CHECK(!axes("sum(x, axis=())").all);
  CHECK(axes("sum(x, axis=None)").all);
  CHECK(parse_fused("x, -x, (x), ", {"x"}).outputs.size() == 3);
  CHECK(parse_fused("(x, -x)", {"x"}).outputs.size() == 2);
  CHECK(parse_fused("(x - 1,)", {"x"}).outputs.size() == 1);
  CHECK_THAT(refusal([] { parse_fused("(x, -x) + 1", {"x"}); }), Contains("a tuple stands"));
}

TEST_CASE("functions are known as methods and with NumPy's prefixes") {
  const auto same = [](std::string_view a, std::string_view b) {
    const std::vector<std::string> names{"x", "y"};
    const Graph one = parse_fused(a, names), other = parse_fused(b, names);
    REQUIRE(one.size() == other.size());
    for (int id = 0; id < one.size(); ++id) {
      CHECK(one.node(id).kind == other.node(id).kind);
      CHECK(one.node(id).operation == other.node(id).operation);
      CHECK(one.node(id).axes == other.node(id).axes);
      CHECK(one.node(id).operands == other.node(id).operands);
    }
  };

  same("x.sum()", "sum(x)");
  same("np.sum(x, 1)", "sum(x, axis=1)");
  same("(x - y).sum((0, 1), keepdims=True).max()", "max(sum(x - y, axis=(0, 1), keepdims=True))");
  same("cp.maximum(x, np.pi)", "maximum(x, pi)");
  same("x.astype(np.float32)", "astype(x, float32)");
  same("float32(x)", "astype(x, 'float32')");
  same("x.real + (x * y).imag", "real(x) + imag(x * y)");
  same("x.clip(0, 1)", "clip(x, 0, 1)");
  CHECK(names_in("x.sum() + z.real + np.pi", {"np", "x", "y", "z"}) == NameList{"np", "x", "z"});
}

TEST_CASE("a number by name is weak, or has its dtype") {
  const auto dtype = [](std::string_view text) {
    const Graph graph =
        parse_fused(text, {"x"}, {{"k", Constant(2.5)}, {"s", Constant(2.5), DType::kFloat64}});
    const DType given[] = {DType::kFloat32};
    const Shape shapes[] = {{3}};
    const FusedPlan plan(graph, "fused", given, shapes);
    return plan.outputs()[0].dtype;
  };

  CHECK(dtype("k * x") == DType::kFloat32);
  CHECK(dtype("s * x") == DType::kFloat64);
}

TEST_CASE_METHOD(Fixture, "reductions take a dtype and a count of freedoms") {
  const auto got = evaluate(
      "sum(x + 0.5, axis=1, dtype=float64), sum(x + 0.5, 1, dtype=int8), var(x, 1, ddof=1), "
      "var(x, axis=1, ddof=5)",
      {to_host(x, stream)});

  CHECK(got.dtypes == NameList{"float64", "int8", "float32", "float32"});
  CHECK(got.values == Lists{{12.5, 37.5}, {10, 35}, {2.5, 2.5}, {kInf, kInf}});
  CHECK_THAT(refusal([&] { evaluate("mean(x, dtype=int8)", {to_host(x, stream)}); }),
             Contains("its dtype int8 has no fractions"));
}

TEST_CASE_METHOD(Fixture, "elements are normalised along any axes") {
  const Array cube = arange(DType::kFloat64, {2, 3, 4});
  const auto sums = [&](std::string_view text) { return evaluate(text, {cube}).values; };

  // Over the first axis: 12 apart.
  CHECK(sums("x - mean(x, axis=0)")[0] == sums("x - mean(x, axis=0, keepdims=True)")[0]);
  CHECK(sums("x - mean(x, axis=0)")[0][0] == -6);
  CHECK(sums("x - max(x, axis=0), x.sum(axis=0)")[1][11] == 34);
  // Over the middle: 4 apart; over the first and the last.
  CHECK(
      sums("x - min(x, axis=1, keepdims=True)")[0] ==
      std::vector<double>{0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8});
  CHECK(sums("x - min(x, axis=(0, 2), keepdims=True)")[0] ==
        std::vector<double>{0,  1,  2,  3,  0,  1,  2,  3,  0,  1,  2,  3,
                            12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15});
  // Elements without a common stride.
  const auto mixed = evaluate("x - y + sum(x - y)", {cube, arange(DType::kFloat64, {3, 1})});
  CHECK(mixed.values[0][23] == 23 - 2 + (276 - 24));
}

TEST_CASE("names of a text are those after a floor division, too") {
  CHECK(names_in("x // pi + 1", {"pi", "q", "x"}) == NameList{"pi", "x"});
  CHECK(names_in("x + f(y, axis=1)", {"axis", "f", "y"}) == NameList{"y"});
  const Graph graph = parse_fused("pi", {"pi"});
  CHECK(graph.node(graph.outputs.at(0)).kind == Node::Kind::kInput);
}

TEST_CASE("^ is exclusive or, ** the power, as in Python") {
  const auto operation = [](std::string_view text) {
    const Graph graph = parse_fused(text, {"x", "y"});
    return graph.node(graph.outputs.at(0)).operation->name;
  };

  CHECK(operation("x ^ y") == "bitwise_xor");
  CHECK(operation("x ** y") == "power");
  CHECK(operation("x ** -y ** 2") == "power");
  CHECK(operation("-x ** y") == "negative");
  CHECK(operation("x ^ y & x | y") == "bitwise_or");
  CHECK(operation("x & y == 1") == "equal");
}
