#include "core/kernel/fuse/language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>

namespace kernelbatch {
namespace {

constexpr std::pair<const char*, const char*> kAliases[] = {
    {"arcsin", "asin"},    {"arccos", "acos"},        {"arctan", "atan"},
    {"arcsinh", "asinh"},  {"arccosh", "acosh"},      {"arctanh", "atanh"},
    {"atan2", "arctan2"},  {"absolute", "abs"},       {"pow", "power"},
    {"mod", "remainder"},  {"amax", "max"},           {"amin", "min"},
    {"conjugate", "conj"}, {"bitwise_not", "invert"}, {"true_divide", "divide"},
    {"around", "round"},   {"radians", "deg2rad"},    {"degrees", "rad2deg"}};
constexpr std::array<std::string_view, 4> kModules{"np", "cp", "numpy", "cupy"};

constexpr auto kPrefix = ExpressionOperator::Position::kPrefix;
constexpr auto kInfix = ExpressionOperator::Position::kInfix;
constexpr auto kRight = ExpressionOperator::Associativity::kRight;
constexpr auto kChain = ExpressionOperator::Associativity::kChain;

/// A meaning is the name of an operation; unary plus has none.
constexpr std::array<ExpressionOperator, 21> kOperators{{
    {"<", "less", 1, kInfix, kChain},
    {"<=", "less_equal", 1, kInfix, kChain},
    {">", "greater", 1, kInfix, kChain},
    {">=", "greater_equal", 1, kInfix, kChain},
    {"==", "equal", 1, kInfix, kChain},
    {"!=", "not_equal", 1, kInfix, kChain},
    {"|", "bitwise_or", 2},
    {"^", "bitwise_xor", 3},
    {"&", "bitwise_and", 4},
    {"<<", "left_shift", 5},
    {">>", "right_shift", 5},
    {"+", "add", 6},
    {"-", "subtract", 6},
    {"*", "multiply", 7},
    {"/", "divide", 7},
    {"//", "floor_divide", 7},
    {"%", "remainder", 7},
    {"+", "", 8, kPrefix},
    {"-", "negative", 8, kPrefix},
    {"~", "invert", 8, kPrefix},
    {"**", "power", 9, kInfix, kRight},
}};
constexpr std::array<ForeignOperator, 7> kForeign{{
    {"=", "compare with '=='"},
    {"!", "write '~'"},
    {"not", "write '~'"},
    {"&&", "write '&', which binds tighter than comparisons"},
    {"and", "write '&', which binds tighter than comparisons"},
    {"||", "write '|', which binds tighter than comparisons"},
    {"or", "write '|', which binds tighter than comparisons"},
}};
constexpr ExpressionLanguage kLanguage{
    .operators = kOperators, .foreign = kForeign, .context = "fuse: ", .has_tuples = true};

Constant whole_number_of(const ExpressionTree& tree, const ExpressionNode& node) {
  WideInteger result = 0;
  for (const char digit : node.word)
    if (__builtin_mul_overflow(result, WideInteger{10}, &result) ||
        __builtin_add_overflow(result, WideInteger{digit - '0'}, &result))
      tree.fail(node.column, fmt::format("'{}' is an integer of more than 127 bits", node.word));
  return result;
}

}  // namespace

const ExpressionLanguage& fuse_language() noexcept { return kLanguage; }

bool is_array_module(std::string_view name) noexcept {
  return std::ranges::find(kModules, name) != kModules.end();
}

std::string without_alias(std::string name) {
  for (const auto& [alias, meaning] : kAliases)
    if (name == alias) return meaning;
  return name;
}

std::optional<Constant> named_constant(std::string_view name) {
  if (name == "True" || name == "False") return name == "True";
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Constant number_of(const ExpressionTree& tree, const ExpressionNode& node) {
  const std::string& word = node.word;
  if (word.find_first_not_of("0123456789") == std::string::npos) return whole_number_of(tree, node);
  const bool is_imaginary = word.ends_with('j');
  const char* end = word.data() + word.size() - (is_imaginary ? 1 : 0);
  double real = 0;
  const auto parsed = std::from_chars(word.data(), end, real);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    tree.fail(node.column, fmt::format("'{}' is not a number", word));
  if (is_imaginary) return std::complex<double>(0, real);
  return real;
}

}  // namespace kernelbatch
