#include "core/kernel/program/entry_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kernelbatch {
namespace {

/// Most also have a float version with suffix f.
constexpr std::array<std::string_view, 116> kFunctions{
    "abs",        "acos",      "acosh",    "asin",     "asinh",         "assert",
    "atan",       "atan2",     "atanh",    "cbrt",     "ceil",          "clock",
    "clock64",    "copysign",  "cos",      "cosh",     "cospi",         "erf",
    "erfc",       "erfcinv",   "erfcx",    "erfinv",   "exp",           "exp10",
    "exp2",       "expm1",     "fabs",     "fdim",     "fdivide",       "floor",
    "fma",        "fmax",      "fmin",     "fmod",     "free",          "frexp",
    "hypot",      "ilogb",     "isfinite", "isinf",    "isnan",         "j0",
    "j1",         "jn",        "labs",     "ldexp",    "lgamma",        "llabs",
    "llmax",      "llmin",     "llrint",   "llround",  "log",           "log10",
    "log1p",      "log2",      "logb",     "lrint",    "lround",        "malloc",
    "max",        "memcpy",    "memset",   "min",      "modf",          "nan",
    "nearbyint",  "nextafter", "norm",     "norm3d",   "norm4d",        "normcdf",
    "normcdfinv", "pow",       "printf",   "rcbrt",    "remainder",     "remquo",
    "rhypot",     "rint",      "rnorm",    "rnorm3d",  "rnorm4d",       "round",
    "rsqrt",      "scalbln",   "scalbn",   "signbit",  "sin",           "sincos",
    "sincospi",   "sinh",      "sinpi",    "sqrt",     "tan",           "tanh",
    "tgamma",     "trap",      "trunc",    "ullmax",   "ullmin",        "umax",
    "umin",       "umul24",    "mul24",    "saturate", "powi",          "main",
    "brkpt",      "y0",        "y1",       "yn",       "cyl_bessel_i0", "cyl_bessel_i1",
    "isnormal",   "fpclassify"};

bool is_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != kFunctions.end();
}

}  // namespace

std::string entry_name(const std::string& name) {
  const std::string_view text = name;
  const bool is_taken =
      is_function(text) || (text.ends_with('f') && is_function(text.substr(0, text.size() - 1)));
  return is_taken ? name + "_kernel" : name;
}

}  // namespace kernelbatch
