#include "core/job/generator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/quantity.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

/// Text of a real without the last digits, in which 0.1 + 0.2 differs from 0.3.
std::string written_text(double real) {
  return to_written_text(parse_real(fmt::format("{:.15g}", real)));
}

constexpr std::int64_t kMaxValues = 1'000'000;

/// The numbers of a generator, each with its exact integer if it is written as one.
struct Bounds {
  struct Number {
    double real = 0;
    std::optional<std::int64_t> integer{};
    Scalar text{};
  };
  std::string_view name;
  SourcePlace place;
  std::vector<Number> numbers;

  bool are_integers() const {
    for (const Number& number : numbers)
      if (!number.integer) return false;
    return true;
  }
  Scalar value(std::int64_t integer) const { return {fmt::format("{}", integer), place, false}; }
  Scalar value(double real) const { return {written_text(real), place, false}; }
  [[noreturn]] void fail(std::string_view message) const {
    fail_at(place, fmt::format("'{}': {}", name, message));
  }
  void check_count(double count) const {
    if (!(count <= static_cast<double>(kMaxValues)))
      fail(fmt::format("more than {} values", kMaxValues));
  }
};

Bounds read_bounds(const YamlNode& list, std::string_view name, std::size_t needed,
                   std::string_view form) {
  if (!list.is_list() || list.children.size() < needed || list.children.size() > 3)
    fail_at(list.place, fmt::format("'{}' needs {}", name, form));
  Bounds bounds{name, list.place, {}};
  for (const YamlNode& item : list.children) {
    Bounds::Number number;
    number.text = read_scalar(item, name);
    with_place(item.place, name, [&] { number.real = parse_real(number.text.text); });
    if (!std::isfinite(number.real))
      fail_at(item.place, fmt::format("'{}' needs finite numbers, not {}", name, item.text));
    if (number.text.text.find('.') == std::string::npos)
      number.integer = try_parse_integer(number.text.text);
    bounds.numbers.push_back(number);
  }
  return bounds;
}

std::vector<Scalar> expand_range(const Bounds& bounds) {
  const auto& lo = bounds.numbers[0];
  const auto& hi = bounds.numbers[1];
  const double step = bounds.numbers.size() > 2 ? bounds.numbers[2].real : 1;
  const std::int64_t stride = bounds.numbers.size() > 2 ? bounds.numbers[2].integer.value_or(1) : 1;
  if (step == 0) bounds.fail("the step is 0");
  if ((hi.real - lo.real) / step < 0)
    bounds.fail(fmt::format("no values: from {} in steps of {} never reaches {}", lo.text.text,
                            step, hi.text.text));
  // The small tolerance lets [0, 1, 0.1] reach 1 although 0.1 has no exact double.
  double steps = std::floor((hi.real - lo.real) / step * (1 + 1e-12) + 1e-9);
  std::int64_t span = 0;
  if (bounds.are_integers() && !__builtin_sub_overflow(*hi.integer, *lo.integer, &span))
    steps = static_cast<double>(span / stride);
  bounds.check_count(steps + 1);
  std::vector<Scalar> values;
  for (std::int64_t i = 0; i <= static_cast<std::int64_t>(steps); ++i) {
    if (bounds.are_integers()) {
      values.push_back(bounds.value(*lo.integer + i * stride));
    } else {
      values.push_back(bounds.value(lo.real + static_cast<double>(i) * step));
    }
  }
  return values;
}

std::int64_t count_of(const Bounds& bounds) {
  const auto& count = bounds.numbers[2];
  if (!count.integer || *count.integer < 1 ||
      (*count.integer == 1 && bounds.numbers[0].real != bounds.numbers[1].real))
    bounds.fail(fmt::format("the count must be an integer of at least 2, not {}", count.text.text));
  bounds.check_count(count.real);
  return *count.integer;
}

std::vector<Scalar> expand_linspace(const Bounds& bounds) {
  const auto& lo = bounds.numbers[0];
  const auto& hi = bounds.numbers[1];
  const std::int64_t count = count_of(bounds);
  std::int64_t span = 0;
  const bool is_exact = lo.integer && hi.integer &&
                        !__builtin_sub_overflow(*hi.integer, *lo.integer, &span) &&
                        (count == 1 || span % (count - 1) == 0);
  std::vector<Scalar> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_exact) {
      values.push_back(bounds.value(*lo.integer + (count == 1 ? 0 : span / (count - 1) * i)));
    } else {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      values.push_back(bounds.value(lo.real + share * (hi.real - lo.real)));
    }
  }
  return values;
}

std::vector<Scalar> expand_logspace(const Bounds& bounds) {
  const auto& lo = bounds.numbers[0];
  const auto& hi = bounds.numbers[1];
  if (lo.real <= 0 || hi.real <= 0) bounds.fail("both ends must be above 0");
  const std::int64_t count = count_of(bounds);
  const bool is_rounded = lo.integer && hi.integer;
  const double ratio = std::log(hi.real / lo.real);
  std::vector<Scalar> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
    const double real = lo.real * std::exp(share * ratio);
    Scalar value = is_rounded ? bounds.value(static_cast<std::int64_t>(std::llround(real)))
                              : bounds.value(real);
    // The ends are kept as written, since exp and log round.
    if (is_rounded && i == 0) value = bounds.value(*lo.integer);
    if (is_rounded && i == count - 1) value = bounds.value(*hi.integer);
    if (values.empty() || values.back().text != value.text) values.push_back(std::move(value));
  }
  return values;
}

std::vector<Scalar> expand_pow2(const Bounds& bounds) {
  const std::int64_t lo = bounds.numbers[0].integer.value_or(-1);
  const std::int64_t hi = bounds.numbers[1].integer.value_or(-1);
  const std::int64_t step = bounds.numbers.size() > 2 ? bounds.numbers[2].integer.value_or(0) : 1;
  if (lo < 0 || hi > 62 || lo > hi)
    bounds.fail("the exponents must be integers with 0 <= lo <= hi <= 62");
  if (step < 1 || step > 62) bounds.fail("the step must be an integer of at least 1");
  std::vector<Scalar> values;
  for (std::int64_t exponent = lo; exponent <= hi; exponent += step)
    values.push_back(bounds.value(std::int64_t{1} << exponent));
  return values;
}

}  // namespace

std::span<const Key> generator_keys() {
  static constexpr Rule kTwoOrThree = Rule::json(R"({
    "type": "array", "minItems": 2, "maxItems": 3, "items": {"$ref": "#/definitions/number"}
  })");
  static constexpr Rule kThree = Rule::json(R"({
    "type": "array", "minItems": 3, "maxItems": 3, "items": {"$ref": "#/definitions/number"}
  })");
  static constexpr Key kKeys[] = {
      {"range", kTwoOrThree, "[lo, hi] or [lo, hi, step], both ends included"},
      {"linspace", kThree, "[lo, hi, count], evenly spaced, both ends included"},
      {"logspace", kThree,
       "[lo, hi, count], evenly spaced in their logarithms, both ends included"},
      {"pow2", kTwoOrThree, "2^lo to 2^hi: [lo, hi] or [lo, hi, step]"}};
  return kKeys;
}

std::vector<Scalar> expand_generator(const YamlNode& mapping, std::string_view parameter) {
  expect_mapping(mapping, parameter, key_names(generator_keys()));
  if (mapping.keys.size() != 1)
    fail_at(mapping.keys[1].place, fmt::format("'{}' has two generators, '{}' and '{}'", parameter,
                                               mapping.keys[0].text, mapping.keys[1].text));
  const std::string& name = mapping.keys[0].text;
  const YamlNode& list = mapping.children[0];
  if (name == "range")
    return expand_range(read_bounds(list, name, 2, "[lo, hi] or [lo, hi, step]"));
  if (name == "pow2") return expand_pow2(read_bounds(list, name, 2, "[lo, hi] or [lo, hi, step]"));
  const Bounds bounds = read_bounds(list, name, 3, "[lo, hi, count]");
  return name == "linspace" ? expand_linspace(bounds) : expand_logspace(bounds);
}

}  // namespace kernelbatch
