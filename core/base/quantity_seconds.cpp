// Times of quantity.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace {

struct TimeUnit {
  std::string_view name;
  double factor;
};

constexpr std::array<TimeUnit, 9> kTimes{{{"ns", 1e-9},
                                          {"us", 1e-6},
                                          {"µs", 1e-6},
                                          {"ms", 1e-3},
                                          {"s", 1},
                                          {"min", 60},
                                          {"h", 3600},
                                          {"d", 86400},
                                          {"", 1}}};

/// Length of the number in "2.5e3min": the unit begins at the first letter that is not an exponent.
std::size_t length_of_number(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const bool is_exponent = (text[i] == 'e' || text[i] == 'E') && i + 1 < text.size() &&
                             (is_digit(text[i + 1]) || text[i + 1] == '-' || text[i + 1] == '+');
    const bool is_sign =
        i > 0 && (text[i] == '-' || text[i] == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E');
    if (!is_digit(text[i]) && text[i] != '.' && text[i] != '_' && !is_exponent && !is_sign) break;
    ++i;
  }
  return i;
}

std::optional<std::int64_t> whole_number(std::string_view digits) {
  if (!std::ranges::all_of(digits, is_digit)) return std::nullopt;
  return try_parse_integer(digits);
}

std::optional<double> clock_seconds(std::string_view text) {
  double days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto count = whole_number(text.substr(0, dash));
    if (!count) return std::nullopt;
    days = static_cast<double>(*count);
    text.remove_prefix(dash + 1);
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  double total = 0;
  for (const std::string& part : parts) {
    const auto value = whole_number(part);
    if (!value || (&part != &parts.front() && *value > 59)) return std::nullopt;
    total = total * 60 + static_cast<double>(*value);
  }
  return days * 86400 + total;
}

std::optional<double> unit_seconds(std::string_view text) {
  double total = 0;
  while (!text.empty()) {
    const std::size_t digits = length_of_number(text);
    const auto number = try_parse_real(text.substr(0, digits));
    text = trim(text.substr(digits));
    const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
    const std::string_view name = text.substr(0, letters);
    const auto unit = std::ranges::find(kTimes, name, &TimeUnit::name);
    if (!number || unit == kTimes.end()) return std::nullopt;
    total += *number * unit->factor;
    text = trim(text.substr(letters));
  }
  return total;
}

}  // namespace

double parse_seconds(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (!trimmed.empty()) {
    const auto value = trimmed.find(':') != std::string_view::npos ? clock_seconds(trimmed)
                                                                   : unit_seconds(trimmed);
    if (value && std::isfinite(*value)) return *value;
  }
  throw SpecError(fmt::format(
      "'{}' is not a time (expected for example 120, 0.5s, 2min, 1h30min or 00:30:00)", text));
}

}  // namespace kernelbatch
