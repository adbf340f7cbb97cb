#include "core/job/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error_list.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch {

void expect_mapping(const YamlNode& node, std::string_view what) {
  if (!node.is_mapping())
    fail_at(node.place, fmt::format("'{}' must be a mapping, not {}", what, describe(node)));
  if (node.keys.empty()) fail_at(node.place, fmt::format("'{}' is an empty mapping", what));
}

void expect_mapping(const YamlNode& node, std::string_view what,
                    const std::vector<std::string>& known) {
  expect_mapping(node, what);
  ErrorList errors;
  for (const YamlKey& key : node.keys)
    if (!errors.is_full() && std::find(known.begin(), known.end(), key.text) == known.end())
      errors.add(SpecError(fmt::format("unknown key '{}'{}", key.text, suggestion(key.text, known)),
                           key.place));
  errors.raise();
}

Scalar read_scalar(const YamlNode& node, std::string_view what) {
  if (!node.is_scalar())
    fail_at(node.place, fmt::format("'{}' must be one value, not {}", what, describe(node)));
  return {node.text, node.place, node.quoted};
}

std::string read_text(const YamlNode& node, std::string_view what) {
  std::string text = read_scalar(node, what).text;
  if (text.empty()) fail_at(node.place, fmt::format("'{}' is empty", what));
  return text;
}

std::string read_choice(const YamlNode& node, std::string_view what,
                        const std::vector<std::string>& choices) {
  std::string text = read_text(node, what);
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
  const std::string near = nearest_name(text, choices);
  fail_at(node.place, fmt::format("'{}' must be one of {}, not '{}'{}", what, join(choices), text,
                                  near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
}

void with_place(const SourcePlace& place, std::string_view what,
                const std::function<void()>& body) {
  at_place(place, fmt::format("'{}': ", what), body);
}

bool read_boolean(const YamlNode& node, std::string_view what) {
  bool value = false;
  const Scalar scalar = read_scalar(node, what);
  with_place(node.place, what, [&] { value = parse_boolean(scalar.text); });
  return value;
}

int read_count(const YamlNode& node, std::string_view what, int low, int high) {
  std::int64_t value = 0;
  const Scalar scalar = read_scalar(node, what);
  with_place(node.place, what, [&] { value = parse_integer(scalar.text); });
  if (value < low || value > high)
    fail_at(node.place,
            fmt::format("'{}' must be from {} to {}, not {}", what, low, high, scalar.text));
  return static_cast<int>(value);
}

double read_seconds(const YamlNode& node, std::string_view what) {
  double value = 0;
  const Scalar scalar = read_scalar(node, what);
  with_place(node.place, what, [&] { value = parse_seconds(scalar.text); });
  return value;
}

double read_fraction(const YamlNode& node, std::string_view what) {
  double value = 0;
  const Scalar scalar = read_scalar(node, what);
  with_place(node.place, what, [&] { value = parse_fraction(scalar.text); });
  return value;
}

double read_magnitude(const YamlNode& node, std::string_view what) {
  double value = 0;
  const Scalar scalar = read_scalar(node, what);
  with_place(node.place, what, [&] { value = parse_real(scalar.text); });
  if (!std::isfinite(value))
    fail_at(node.place, fmt::format("'{}' must be finite, is {}", what, scalar.text));
  if (value < 0)
    fail_at(node.place, fmt::format("'{}' must not be negative, is {}", what, scalar.text));
  return value;
}

std::vector<Scalar> read_scalars(const YamlNode& node, std::string_view what) {
  if (node.is_scalar()) return {read_scalar(node, what)};
  if (!node.is_list())
    fail_at(node.place,
            fmt::format("'{}' must be a value or a list of values, not {}", what, describe(node)));
  if (node.children.empty()) fail_at(node.place, fmt::format("'{}' is an empty list", what));
  std::vector<Scalar> scalars;
  scalars.reserve(node.children.size());
  for (const YamlNode& child : node.children) scalars.push_back(read_scalar(child, what));
  return scalars;
}

Scalar read_scalar_or_list(const YamlNode& node, std::string_view what) {
  if (!node.is_list()) return read_scalar(node, what);
  return {write_yaml_line(node), node.place, false};
}

}  // namespace kernelbatch
