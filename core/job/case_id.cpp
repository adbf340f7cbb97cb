#include "core/job/case_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

using NamedText = std::pair<std::string, std::string>;

struct Tagged {
  std::string operator()(bool value) const { return value ? "b1" : "b0"; }
  std::string operator()(std::int64_t value) const { return fmt::format("i{}", value); }
  // Shortest text that reads back to the same double; all NaNs are equal.
  std::string operator()(double value) const {
    return std::isnan(value) ? "rnan" : fmt::format("r{}", value);
  }
  std::string operator()(const std::string& value) const { return "t" + value; }
};

void add_field(std::string& text, std::string_view field) {
  text += fmt::format("{}:{};", field.size(), field);
}

void add_sorted(std::string& text, std::vector<NamedText> fields) {
  std::sort(fields.begin(), fields.end());
  text += fmt::format("{}(", fields.size());
  for (const auto& [name, content] : fields) {
    add_field(text, name);
    add_field(text, content);
  }
  text += ')';
}

}  // namespace

std::string case_id(std::string_view workload, std::string_view version, const NamedValues& values,
                    std::span<const std::pair<std::string, std::string>> inputs) {
  std::vector<NamedText> parameters;
  for (const auto& [name, value] : values)
    parameters.emplace_back(name, std::visit(Tagged{}, value));
  std::string text = "kernelbatch case 1;";
  add_field(text, workload);
  add_field(text, version);
  add_sorted(text, std::move(parameters));
  add_sorted(text, {inputs.begin(), inputs.end()});
  return hash_hex(text).substr(0, 16);
}

std::string describe_input(const InputSpec& input) {
  std::vector<NamedText> options;
  for (const auto& [name, scalar] : input.options) options.emplace_back(name, scalar.text);
  std::string text;
  add_field(text, name_of(input.kind));
  add_field(text, input.value.text);
  add_sorted(text, std::move(options));
  return text;
}

}  // namespace kernelbatch
