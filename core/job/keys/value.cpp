#include "core/job/keys/value.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/job/keys/settings.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {

YamlNode scalar_node(std::string_view text) {
  return {.kind = YamlNode::Kind::kScalar, .text = std::string(text)};
}

YamlNode scalar_node(const Scalar& scalar) {
  if (scalar.text.empty() && !scalar.quoted) return {};
  if (!scalar.quoted && scalar.text.starts_with('['))
    return parse_yaml(scalar.text, to_text(scalar.place));
  return {.kind = YamlNode::Kind::kScalar, .text = scalar.text, .quoted = scalar.quoted};
}

YamlNode list_node(const std::vector<Scalar>& scalars) {
  YamlNode node{.kind = YamlNode::Kind::kList};
  for (const Scalar& scalar : scalars) node.children.push_back(scalar_node(scalar));
  return node;
}

bool ValueOf<bool>::read(const YamlNode& node, const Key& key) {
  return read_boolean(node, key.name);
}
YamlNode ValueOf<bool>::write(const bool& value, const Key&) {
  return scalar_node(std::string_view(value ? "true" : "false"));
}

int ValueOf<int>::read(const YamlNode& node, const Key& key) {
  return read_count(node, key.name, key.rule.low, key.rule.high);
}
YamlNode ValueOf<int>::write(const int& value, const Key&) {
  return scalar_node(std::string_view(fmt::format("{}", value)));
}

double ValueOf<double>::read(const YamlNode& node, const Key& key) {
  if (key.rule.kind == Rule::Kind::kSeconds) return read_seconds(node, key.name);
  if (key.rule.kind == Rule::Kind::kFraction) return read_fraction(node, key.name);
  return read_magnitude(node, key.name);
}
YamlNode ValueOf<double>::write(const double& value, const Key& key) {
  const bool is_time = key.rule.kind == Rule::Kind::kSeconds;
  return scalar_node(std::string_view(fmt::format("{}{}", value, is_time ? "s" : "")));
}

std::string ValueOf<std::string>::read(const YamlNode& node, const Key& key) {
  return read_text(node, key.name);
}
YamlNode ValueOf<std::string>::write(const std::string& value, const Key&) {
  return scalar_node(std::string_view(value));
}

Scalar ValueOf<Scalar>::read(const YamlNode& node, const Key& key) {
  return {read_text(node, key.name), node.place, false};
}
YamlNode ValueOf<Scalar>::write(const Scalar& value, const Key&) { return scalar_node(value); }

std::vector<Scalar> ValueOf<std::vector<Scalar>>::read(const YamlNode& node, const Key& key) {
  return read_scalars(node, key.name);
}
YamlNode ValueOf<std::vector<Scalar>>::write(const std::vector<Scalar>& value, const Key&) {
  return value.empty() ? YamlNode{} : list_node(value);
}

TuneBudget ValueOf<TuneBudget>::read(const YamlNode& node, const Key& key) {
  const std::string text = read_text(node, key.name);
  // A time has a unit.
  if (text.find_first_of("sminhdu:") == std::string::npos)
    return {.tries = read_count(node, key.name, 1, 1'000'000'000)};
  const double seconds = read_seconds(node, key.name);
  if (seconds <= 0) fail_at(node.place, fmt::format("'{}' must be above 0", key.name));
  return {.seconds = seconds};
}
YamlNode ValueOf<TuneBudget>::write(const TuneBudget& value, const Key&) {
  return scalar_node(std::string_view(value.tries > 0 ? fmt::format("{}", value.tries)
                                                      : fmt::format("{}s", value.seconds)));
}

ToleranceSpec ValueOf<ToleranceSpec>::read(const YamlNode& node, const Key& key) {
  ToleranceSpec tolerance;
  tolerance.place = node.place;
  read_fields(tolerance, node, key.name, fields<ToleranceSpec>());
  return tolerance;
}
YamlNode ValueOf<ToleranceSpec>::write(const ToleranceSpec& value, const Key&) {
  YamlNode node = write_fields(value, fields<ToleranceSpec>());
  return node.children.empty() ? YamlNode{} : node;
}

using Tolerances = std::vector<std::pair<std::string, ToleranceSpec>>;

Tolerances ValueOf<Tolerances>::read(const YamlNode& node, const Key& key) {
  expect_mapping(node, key.name);
  Tolerances all;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    Key output = key;
    output.name = node.keys[i].text;
    all.emplace_back(node.keys[i].text, ValueOf<ToleranceSpec>::read(node.children[i], output));
  }
  return all;
}
YamlNode ValueOf<Tolerances>::write(const Tolerances& value, const Key& key) {
  if (value.empty()) return {};
  YamlNode node{.kind = YamlNode::Kind::kMapping};
  for (const auto& [name, tolerance] : value) {
    node.keys.push_back({name, {}});
    node.children.push_back(ValueOf<ToleranceSpec>::write(tolerance, key));
  }
  return node;
}

}  // namespace kernelbatch
