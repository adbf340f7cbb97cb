#include "core/base/value.hpp"

#include <fmt/format.h>

#include "core/base/quantity.hpp"

namespace kernelbatch {
namespace {

struct Writer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return to_written_text(value); }
  std::string operator()(const std::string& value) const { return value; }
};

}  // namespace

std::string to_text(const Value& value) { return std::visit(Writer{}, value); }

std::string to_text(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value));
  return text;
}

const Value* find_value(const NamedValues& values, std::string_view name) noexcept {
  for (const auto& [key, value] : values)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace kernelbatch
