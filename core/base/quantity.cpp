#include "core/base/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 9> kSuffixes{{{"Ki", 0x1p10},
                                         {"Mi", 0x1p20},
                                         {"Gi", 0x1p30},
                                         {"Ti", 0x1p40},
                                         {"k", 1e3},
                                         {"K", 1e3},
                                         {"M", 1e6},
                                         {"G", 1e9},
                                         {"T", 1e12}}};

/// Text without `_` between digits; std::nullopt if one is elsewhere.
std::optional<std::string> without_separators(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

/// value * factor^count; std::nullopt on overflow.
std::optional<std::int64_t> scaled(std::int64_t value, std::int64_t factor, std::int64_t count) {
  if (value == 0) return 0;
  if (factor == 0) return count == 0 ? value : 0;
  if (factor == 1) return value;
  if (factor == -1) {
    if (count % 2 == 0) return value;
    count = 1;
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (__builtin_mul_overflow(value, factor, &value)) return std::nullopt;
  return value;
}

/// The integer value of `text`, [sign] digits [. digits] [e exponent], if it is one.
std::optional<std::int64_t> decimal_integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  std::int64_t exponent = 0;
  bool has_digits = false;
  bool after_point = false;
  std::int64_t zeros = 0;  // read but not yet applied, so that "1.5000…0" does not overflow
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !after_point)); ++i) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    has_digits = true;
    if (after_point) --exponent;
    if (text[i] == '0') {
      if (value != 0) ++zeros;
      continue;
    }
    const auto grown = scaled(value, 10, zeros + 1);
    if (!grown || __builtin_sub_overflow(*grown, text[i] - '0', &value)) return std::nullopt;
    zeros = 0;
  }
  if (!has_digits) return std::nullopt;
  exponent += zeros;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    std::string_view rest = text.substr(i + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    int written = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), written);
    if (error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
    exponent += written;
  }
  if (value == 0) return 0;
  if (exponent < 0 || exponent > 18) return std::nullopt;
  // Accumulated as negative, since the most negative integer has no positive counterpart.
  const auto shifted = scaled(value, 10, exponent);
  if (!shifted) return std::nullopt;
  return is_negative ? shifted : scaled(*shifted, -1, 1);
}

std::optional<double> plain_real(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::string_view magnitude = digits.starts_with('-') ? digits.substr(1) : digits;
  if (magnitude == ".inf" || magnitude == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return digits.starts_with('-') ? -infinity : infinity;
  }
  if (text == "nan" || text == ".nan" || text == ".NaN")
    return std::numeric_limits<double>::quiet_NaN();
  if (magnitude.empty() || (!is_digit(magnitude[0]) && magnitude[0] != '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view text, std::string_view expected) {
  throw SpecError(fmt::format("'{}' is not {}", text, expected));
}

/// Unsigned integers that need the 64th bit: `1000`, `1_000` and `2^63`.
std::optional<std::uint64_t> unsigned_integer(std::string_view text) {
  std::string digits = without_separators(text).value_or("");
  if (digits.starts_with('+')) digits.erase(0, 1);
  const std::vector<std::string> parts = split(digits, '^');
  std::array<std::uint64_t, 2> read{0, 1};
  if (parts.size() > read.size()) return std::nullopt;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const char* const end = parts[k].data() + parts[k].size();
    const auto [stop, error] = std::from_chars(parts[k].data(), end, read[k]);
    if (parts[k].empty() || stop != end || error != std::errc{}) return std::nullopt;
  }
  const auto [base, exponent] = read;
  std::uint64_t value = 1;
  for (std::uint64_t k = 0; k < exponent && base > 1; ++k)
    if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
  return base > 1 || exponent == 0 ? value : base;
}

/// True for a point, an exponent or a negative power, and for infinity and NaN.
bool is_written_as_real(std::string_view number) {
  return number.find_first_of(".eE") != std::string_view::npos ||
         number.find("^-") != std::string_view::npos ||
         number.find_first_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::int64_t> try_parse_integer(std::string_view text) noexcept {
  const auto plain = without_separators(trim(text));
  if (!plain) return std::nullopt;
  const std::string_view digits = *plain;
  if (const std::size_t caret = digits.find('^'); caret != std::string_view::npos) {
    const auto base = decimal_integer(digits.substr(0, caret));
    const auto exponent = decimal_integer(digits.substr(caret + 1));
    if (!base || !exponent || *exponent < 0) return std::nullopt;
    // As in expressions, the sign applies to the power: -2^2 = -4.
    const bool is_negative = digits.starts_with('-');
    const auto power = scaled(is_negative ? -1 : 1, is_negative ? -*base : *base, *exponent);
    return power;
  }
  for (const Unit& suffix : kSuffixes) {
    if (!digits.ends_with(suffix.name)) continue;
    const std::string_view number = trim(digits.substr(0, digits.size() - suffix.name.size()));
    if (const auto value = decimal_integer(number))
      return scaled(*value, static_cast<std::int64_t>(suffix.factor), 1);
    const auto real = plain_real(number);
    if (!real) return std::nullopt;
    const double product = *real * suffix.factor;
    if (product != std::floor(product) || std::abs(product) >= 0x1p63) return std::nullopt;
    return static_cast<std::int64_t>(product);
  }
  return decimal_integer(digits);
}

std::int64_t parse_integer(std::string_view text) {
  if (const auto value = try_parse_integer(text)) return *value;
  refuse(text, "an integer of 64 bits (expected for example 1000000, 1_000_000, 1e6, 2^20 or 4Ki)");
}

std::optional<double> try_parse_real(std::string_view text) noexcept {
  if (const auto integer = try_parse_integer(text); integer && !trim(text).starts_with("-0"))
    return static_cast<double>(*integer);
  const auto plain = without_separators(trim(text));
  if (!plain) return std::nullopt;
  if (const std::size_t caret = plain->find('^'); caret != std::string::npos) {
    const auto base = plain_real(std::string_view(*plain).substr(0, caret));
    const auto exponent = plain_real(std::string_view(*plain).substr(caret + 1));
    if (!base || !exponent) return std::nullopt;
    return plain->starts_with('-') ? -std::pow(-*base, *exponent) : std::pow(*base, *exponent);
  }
  return plain_real(*plain);
}

double parse_real(std::string_view text) {
  if (const auto value = try_parse_real(text)) return *value;
  refuse(text, "a number (expected for example 0.5, 1e-3, 1_000 or 2^-3)");
}

std::optional<WrittenNumber> read_written_number(std::string_view text) {
  const std::string_view number = trim(text);
  const auto real = try_parse_real(number);
  if (!real || is_written_as_real(number)) return real;
  if (const auto integer = try_parse_integer(number)) return *integer;
  if (const auto integer = unsigned_integer(number)) return *integer;
  throw SpecError(fmt::format(
      "'{}' does not fit in 64 bits: write it with a point or an exponent for a real", text));
}

std::optional<std::variant<std::int64_t, double>> read_signed_number(std::string_view text) {
  const auto number = read_written_number(text);
  if (!number) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&*number)) return *integer;
  if (const auto* real = std::get_if<double>(&*number)) return *real;
  throw SpecError(fmt::format(
      "'{}' does not fit in 64 bits with a sign: write it with a point or an exponent for a real",
      text));
}

std::string to_written_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::optional<bool> try_parse_boolean(std::string_view text) noexcept {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool parse_boolean(std::string_view text) {
  if (const auto value = try_parse_boolean(text)) return *value;
  refuse(text, "a truth value (expected true or false)");
}

double parse_fraction(std::string_view text) {
  std::string_view number = trim(text);
  const bool is_percent = number.ends_with('%');
  if (is_percent) number = trim(number.substr(0, number.size() - 1));
  const auto value = try_parse_real(number);
  const double fraction = value ? (is_percent ? *value / 100 : *value) : -1;
  if (fraction >= 0 && fraction <= 1) return fraction;
  refuse(text, "a share from 0 to 1 (expected for example 0.5% or 0.005)");
}

std::int64_t parse_bytes(std::string_view text) {
  std::string_view number = trim(text);
  if (number.ends_with('B')) number = trim(number.substr(0, number.size() - 1));
  if (const auto value = try_parse_integer(number); value && *value >= 0) return *value;
  refuse(text, "a size in bytes (expected for example 4096, 2 GiB or 80GB)");
}

}  // namespace kernelbatch
