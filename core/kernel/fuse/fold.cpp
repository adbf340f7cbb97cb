#include "core/kernel/fuse/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

using Complex = std::complex<double>;
using Folded = std::optional<Constant>;

enum class NumberKind { kBoolean, kWhole, kReal, kComplex };  // the order of Constant

NumberKind kind_of(const Constant& value) { return static_cast<NumberKind>(value.index()); }

WideInteger whole_of(const Constant& value) {
  const bool* truth = std::get_if<bool>(&value);
  return truth != nullptr ? WideInteger{*truth} : std::get<WideInteger>(value);
}
double real_of(const Constant& value) {
  const double* real = std::get_if<double>(&value);
  return real != nullptr ? *real : static_cast<double>(whole_of(value));
}
Complex complex_of(const Constant& value) {
  const Complex* number = std::get_if<Complex>(&value);
  return number != nullptr ? *number : Complex(real_of(value));
}
bool truth_of(const Constant& value) { return complex_of(value) != Complex(0); }

[[noreturn]] void refuse(std::string_view why) { throw SpecError(fmt::format("fuse: {}", why)); }
[[noreturn]] void refuse_division() { refuse("division by zero"); }
[[noreturn]] void refuse_size() { refuse("an integer of more than 127 bits"); }

double floor_remainder(double a, double b) {
  if (b == 0) refuse_division();
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_quotient(double a, double b) {
  const double rest = floor_remainder(a, b);
  const double quotient = (a - rest) / b;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

WideInteger product(WideInteger a, WideInteger b) {
  WideInteger result = 0;
  if (__builtin_mul_overflow(a, b, &result)) refuse_size();
  return result;
}

WideInteger whole_power(WideInteger base, WideInteger exponent) {
  WideInteger result = 1;
  while (exponent > 0) {
    if (exponent % 2 != 0) result = product(result, base);
    exponent /= 2;
    if (exponent > 0) base = product(base, base);
  }
  return result;
}

WideInteger shifted(std::string_view name, WideInteger a, WideInteger by) {
  if (by < 0) refuse("a shift by a negative number");
  if (name == "right_shift") return a >> std::min<WideInteger>(by, 127);
  return a == 0 ? 0 : product(a, by < 127 ? WideInteger{1} << by : (refuse_size(), 0));
}

Folded fold_wholes(std::string_view name, WideInteger a, WideInteger b) {
  WideInteger result = 0;
  if (name == "add") {
    if (__builtin_add_overflow(a, b, &result)) refuse_size();
    return result;
  }
  if (name == "subtract") {
    if (__builtin_sub_overflow(a, b, &result)) refuse_size();
    return result;
  }
  if (name == "multiply") return product(a, b);
  if (name == "floor_divide" || name == "remainder") {
    if (b == 0) refuse_division();
    const WideInteger rest = a % b;
    const bool is_down = rest != 0 && (rest < 0) != (b < 0);
    if (name == "remainder") return is_down ? rest + b : rest;
    return a / b - (is_down ? 1 : 0);
  }
  if (name == "fmod") return b == 0 ? (refuse_division(), a) : a % b;
  if (name == "power" && b >= 0) return whole_power(a, b);
  if (name == "left_shift" || name == "right_shift") return shifted(name, a, b);
  if (name == "bitwise_and") return a & b;
  if (name == "bitwise_or") return a | b;
  if (name == "bitwise_xor") return a ^ b;
  if (name == "maximum") return std::max(a, b);
  if (name == "minimum") return std::min(a, b);
  return std::nullopt;
}

Folded fold_reals(std::string_view name, double a, double b) {
  if (name == "add") return a + b;
  if (name == "subtract") return a - b;
  if (name == "multiply") return a * b;
  if (name == "divide") return b == 0 ? (refuse_division(), 0.0) : a / b;
  if (name == "floor_divide") return floor_quotient(a, b);
  if (name == "remainder") return floor_remainder(a, b);
  if (name == "power") {
    if (a == 0 && b < 0) refuse_division();
    if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
      return std::pow(Complex(a), b);
    return std::pow(a, b);
  }
  if (name == "maximum") return std::isnan(a) || a > b ? a : b;
  if (name == "minimum") return std::isnan(a) || a < b ? a : b;
  if (name == "arctan2") return std::atan2(a, b);
  if (name == "hypot") return std::hypot(a, b);
  if (name == "copysign") return std::copysign(a, b);
  if (name == "logaddexp")
    return a == b ? a + std::numbers::ln2
                  : std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  if (name == "fmod") return std::fmod(a, b);
  return std::nullopt;
}

Folded fold_complexes(std::string_view name, const Complex& a, const Complex& b) {
  if (name == "add") return a + b;
  if (name == "subtract") return a - b;
  if (name == "multiply") return a * b;
  if (name == "divide") return b == Complex(0) ? (refuse_division(), a) : a / b;
  if (name == "power") {
    if (b == Complex(0)) return Complex(1);
    if (a != Complex(0)) return std::pow(a, b);
    return b.imag() == 0 && b.real() > 0 ? a : (refuse_division(), a);
  }
  return std::nullopt;
}

template <class T>
Folded compared(std::string_view name, const T& a, const T& b) {
  if (name == "less") return a < b;
  if (name == "less_equal") return a <= b;
  if (name == "greater") return a > b;
  if (name == "greater_equal") return a >= b;
  if (name == "equal") return a == b;
  if (name == "not_equal") return a != b;
  return std::nullopt;
}

Folded fold_two(std::string_view name, const Constant& a, const Constant& b) {
  if (name == "logical_and") return truth_of(a) && truth_of(b);
  if (name == "logical_or") return truth_of(a) || truth_of(b);
  if (name == "logical_xor") return truth_of(a) != truth_of(b);
  const NumberKind kind = std::max(kind_of(a), kind_of(b));
  if (kind == NumberKind::kComplex) {
    if (name == "equal") return complex_of(a) == complex_of(b);
    if (name == "not_equal") return complex_of(a) != complex_of(b);
    return fold_complexes(name, complex_of(a), complex_of(b));
  }
  if (kind == NumberKind::kReal) {
    // Wide enough for every 64-bit integer, as Python compares exactly.
    const auto wide = [](const Constant& value) {
      return kind_of(value) == NumberKind::kReal ? static_cast<long double>(real_of(value))
                                                 : static_cast<long double>(whole_of(value));
    };
    if (const Folded result = compared(name, wide(a), wide(b))) return result;
    return fold_reals(name, real_of(a), real_of(b));
  }
  if (const Folded result = compared(name, whole_of(a), whole_of(b))) return result;
  if (const Folded result = fold_wholes(name, whole_of(a), whole_of(b))) {
    const bool keeps_truth =
        kind == NumberKind::kBoolean && (name.starts_with("bitwise") || name.ends_with("imum"));
    return keeps_truth ? Constant(truth_of(*result)) : result;
  }
  return fold_reals(name, real_of(a), real_of(b));
}

struct RealFunction {
  std::string_view name;
  double (*value)(double);
};
constexpr std::array<RealFunction, 32> kFunctions{{
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},
    {"atanh", [](double x) { return std::atanh(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"cbrt", [](double x) { return std::cbrt(x); }},
    {"deg2rad", [](double x) { return x * (std::numbers::pi / 180); }},
    {"rad2deg", [](double x) { return x * (180 / std::numbers::pi); }},
    {"rint", [](double x) { return std::rint(x); }},
    {"round", [](double x) { return std::rint(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"trunc", [](double x) { return std::trunc(x); }},
    {"fabs", [](double x) { return std::fabs(x); }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"sign",
     [](double x) { return std::isnan(x) ? x : (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0); }},
    {"angle", [](double x) { return std::atan2(0.0, x); }},
}};

Folded fold_whole(std::string_view name, WideInteger a) {
  if (name == "negative") return a == -a && a != 0 ? (refuse_size(), a) : -a;
  if (name == "invert") return ~a;
  if (name == "abs") return a < 0 ? fold_whole("negative", a) : a;
  if (name == "sign") return WideInteger{a > 0} - WideInteger{a < 0};
  if (name == "square") return product(a, a);
  if (name == "imag") return WideInteger{0};
  if (name == "floor" || name == "ceil" || name == "trunc" || name == "round" || name == "real" ||
      name == "conj" || name == "positive")
    return a;
  return std::nullopt;
}

Folded fold_complex(std::string_view name, const Complex& a) {
  if (name == "negative") return -a;
  if (name == "positive") return a;
  if (name == "square") return a * a;
  if (name == "abs") return std::abs(a);
  if (name == "angle") return std::arg(a);
  if (name == "real") return a.real();
  if (name == "imag") return a.imag();
  if (name == "conj") return std::conj(a);
  if (name == "exp") return std::exp(a);
  if (name == "log") return std::log(a);
  if (name == "sqrt") return std::sqrt(a);
  if (name == "sin") return std::sin(a);
  if (name == "cos") return std::cos(a);
  return std::nullopt;
}

Folded fold_one(std::string_view name, const Constant& a) {
  if (name == "logical_not") return !truth_of(a);
  if (kind_of(a) == NumberKind::kComplex) return fold_complex(name, std::get<Complex>(a));
  if (kind_of(a) < NumberKind::kReal)
    if (const Folded result = fold_whole(name, whole_of(a))) return result;
  const double x = real_of(a);
  if (name == "isnan") return std::isnan(x);
  if (name == "isinf") return std::isinf(x);
  if (name == "isfinite") return std::isfinite(x);
  if (name == "negative") return -x;
  if (name == "square") return x * x;
  if (name == "imag") return 0.0;
  if (name == "real" || name == "conj" || name == "positive") return x;
  for (const RealFunction& function : kFunctions)
    if (function.name == name) return function.value(x);
  return std::nullopt;
}

/// One of two values, converted to the common kind of both.
Constant chosen(bool first, const Constant& a, const Constant& b) {
  const Constant& value = first ? a : b;
  switch (std::max(kind_of(a), kind_of(b))) {
    case NumberKind::kBoolean:
      break;
    case NumberKind::kWhole:
      return whole_of(value);
    case NumberKind::kReal:
      return real_of(value);
    case NumberKind::kComplex:
      return complex_of(value);
  }
  return value;
}

}  // namespace

std::optional<Constant> fold(const std::string& operation, std::span<const Constant> operands) {
  switch (operands.size()) {
    case 1:
      return fold_one(operation, operands[0]);
    case 2:
      return fold_two(operation, operands[0], operands[1]);
    default:
      return chosen(truth_of(operands[0]), operands[1], operands[2]);
  }
}

}  // namespace kernelbatch
