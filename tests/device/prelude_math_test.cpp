// The host prelude's mathematics compared with the standard library's.
#include <cmath>
#include <limits>

#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;

/// Evaluates an expression of x on the host device.
template <class Out, class In>
std::vector<Out> evaluate(const std::string& expression, const std::string& out_type,
                          const std::vector<In>& values) {
  const ElementwiseKernel kernel{
      {.in = "T x", .out = out_type + " y", .operation = "y = " + expression, .name = "evaluate"}};
  return values_of<Out>(kernel(stream(), device_array(values))[0]);
}

template <class T>
void check_function(const std::string& name, T (*expected)(T), const std::vector<T>& values) {
  const std::vector<T> got = evaluate<T>(name + "(x)", "T", values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    INFO(name << "(" << values[k] << ")");
    const T want = expected(values[k]);
    if (!std::isfinite(want))
      CHECK((got[k] == want || (std::isnan(got[k]) && std::isnan(want))));
    else
      CHECK(std::abs(got[k] - want) <= 4 * std::numeric_limits<T>::epsilon() * std::abs(want));
  }
}

#define CHECK_FUNCTION(name)                                   \
  check_function<double>(                                      \
      #name, [](double x) { return std::name(x); }, kDoubles); \
  check_function<float>(                                       \
      #name, [](float x) { return std::name(x); }, kFloats)

const std::vector<double> kDoubles{0.3, 0.75, 1, 2.5, 10.5};
const std::vector<float> kFloats{0.3f, 0.75f, 1, 2.5f, 10.5f};

TEST_CASE("Functions of one argument keep the precision of their argument") {
  CHECK_FUNCTION(sin);
  CHECK_FUNCTION(cos);
  CHECK_FUNCTION(tan);
  CHECK_FUNCTION(asin);
  CHECK_FUNCTION(acos);
  CHECK_FUNCTION(atan);
  CHECK_FUNCTION(sinh);
  CHECK_FUNCTION(cosh);
  CHECK_FUNCTION(tanh);
  CHECK_FUNCTION(asinh);
  CHECK_FUNCTION(acosh);
  CHECK_FUNCTION(atanh);
  CHECK_FUNCTION(exp);
  CHECK_FUNCTION(exp2);
  CHECK_FUNCTION(expm1);
  CHECK_FUNCTION(log);
  CHECK_FUNCTION(log2);
  CHECK_FUNCTION(log10);
  CHECK_FUNCTION(log1p);
  CHECK_FUNCTION(sqrt);
  CHECK_FUNCTION(cbrt);
  CHECK_FUNCTION(floor);
  CHECK_FUNCTION(ceil);
  CHECK_FUNCTION(round);
  CHECK_FUNCTION(rint);
  CHECK_FUNCTION(trunc);
  CHECK_FUNCTION(erf);
  CHECK_FUNCTION(erfc);
  CHECK_FUNCTION(tgamma);
  CHECK_FUNCTION(lgamma);
  CHECK_FUNCTION(fabs);
  CHECK_FUNCTION(abs);
}

TEST_CASE("Functions of an integer are computed in double") {
  CHECK(evaluate<double, int>("sqrt(x)", "float64", {2})[0] == std::sqrt(2.0));
  CHECK(evaluate<double, int>("pow(x, 0.5f)", "float64", {2})[0] == std::pow(2.0, 0.5));
  CHECK(evaluate<double, std::int64_t>("exp(x)", "float64", {3})[0] == std::exp(3.0));
  CHECK(evaluate<std::int64_t, std::int64_t>("abs(x)", "T", {-(std::int64_t{1} << 40)})[0] ==
        std::int64_t{1} << 40);
  CHECK(evaluate<int, int>("abs(x)", "T", {-7})[0] == 7);
}

TEST_CASE("Functions of two and three arguments") {
  CHECK(evaluate<float, float>("atan2(x, 2.0f)", "T", {1})[0] == std::atan2(1.0f, 2.0f));
  CHECK(evaluate<double, double>("pow(x, 3)", "T", {1.5})[0] == 1.5 * 1.5 * 1.5);
  CHECK(evaluate<double, double>("hypot(x, 4.0)", "T", {3})[0] == 5);
  CHECK(evaluate<double, double>("fmod(x, 3.0)", "T", {7.5})[0] == 1.5);
  CHECK(evaluate<double, double>("copysign(x, -1.0)", "T", {7.5})[0] == -7.5);
  CHECK(evaluate<double, double>("fma(x, x, -1.0)", "T", {1 + 0x1p-30})[0] == 0x1p-29 + 0x1p-60);
  CHECK(evaluate<float, float>("fma(x, x, -1.0f)", "T", {1 + 0x1p-15f})[0] == 0x1p-14f + 0x1p-30f);
  CHECK(evaluate<double, double>("ldexp(x, 5)", "T", {1.5})[0] == 48);
  CHECK(evaluate<double, double>("rsqrt(x) + exp10(x / 2)", "T", {4})[0] == 100.5);
}

TEST_CASE("Functions with pointers give both results, in both precisions") {
  CHECK(evaluate<double, double>("([&] { double s, c; sincos(x, &s, &c); return s + 2 * c; })()",
                                 "T", {0.5})[0] == std::sin(0.5) + 2 * std::cos(0.5));
  CHECK(evaluate<float, float>("([&] { float s, c; sincos(x, &s, &c); return s + 2 * c; })()", "T",
                               {0.5f})[0] == Approx(std::sin(0.5f) + 2 * std::cos(0.5f)));
  CHECK(evaluate<double, double>("([&] { int e; T m = frexp(x, &e); return m + e; })()", "T",
                                 {12})[0] == 4.75);
  CHECK(evaluate<float, float>("([&] { int e; T m = frexp(x, &e); return m + e; })()", "T",
                               {12})[0] == 4.75f);
  CHECK(evaluate<double, double>("([&] { T w; T f = modf(x, &w); return f + 10 * w; })()", "T",
                                 {3.25})[0] == 30.25);
  CHECK(evaluate<float, float>("([&] { T w; T f = modf(x, &w); return f + 10 * w; })()", "T",
                               {3.25f})[0] == 30.25f);
}

TEST_CASE("Float classification works for every floating type") {
  const double nan = std::nan("");
  for (const char* type : {"double", "float", "float16", "bfloat16"}) {
    INFO(type);
    const std::string value = std::string(type) + "(x)";
    CHECK(evaluate<bool, double>("isnan(" + value + ")", "bool", {nan, 1, HUGE_VAL}) ==
          std::vector<bool>{true, false, false});
    CHECK(evaluate<bool, double>("isinf(" + value + ")", "bool", {nan, 1, -HUGE_VAL}) ==
          std::vector<bool>{false, false, true});
    CHECK(evaluate<bool, double>("isfinite(" + value + ")", "bool", {nan, 1, HUGE_VAL}) ==
          std::vector<bool>{false, true, false});
    CHECK(evaluate<bool, double>("signbit(" + value + ")", "bool", {-0.0, 1, -2}) ==
          std::vector<bool>{true, false, true});
  }
}

TEST_CASE("min and max take mixed types and ignore NaN") {
  const double nan = std::nan("");
  CHECK(evaluate<double, double>("min(x, 2)", "T", {1.5, 3, nan}) ==
        std::vector<double>{1.5, 2, 2});
  CHECK(evaluate<double, double>("max(2, x)", "T", {1.5, 3, nan}) == std::vector<double>{2, 3, 2});
  CHECK(evaluate<double, float>("max(x, 0.1)", "float64", {0})[0] == 0.1);
  CHECK(evaluate<std::int64_t, int>("max(x, 1ll << 40)", "int64", {5})[0] == std::int64_t{1} << 40);
  CHECK(evaluate<std::uint64_t, std::uint64_t>("min(x, 7ull)", "T", {UINT64_MAX})[0] == 7);
  CHECK(evaluate<signed char, signed char>("min(x, x)", "T", {-3})[0] == -3);
  CHECK(to_float(evaluate<Float16, Float16>("max(x, T(2))", "T", {{0x3c00}})[0]) == 2);
  CHECK(evaluate<double, double>("fmin(x, 1.0) + fmax(x, 1.0)", "T", {nan, 3}) ==
        std::vector<double>{2, 4});
}

}  // namespace
}  // namespace kernelbatch
