#include "core/workload/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

template <class T>
const T& value_of(const NamedValues& values, std::string_view name) {
  const Value* value = find_value(values, name);
  if (value == nullptr)
    throw std::logic_error(
        fmt::format("the workload asks for '{}', which it did not declare", name));
  const T* typed = std::get_if<T>(value);
  if (typed == nullptr)
    throw std::logic_error(
        fmt::format("the workload asks for '{}' as another type than declared", name));
  return *typed;
}

std::string range_text(const ParameterDeclaration& p) {
  const auto number = [](double value) { return fmt::format("{:.15g}", value); };
  if (p.minimum && p.maximum)
    return fmt::format("from {} to {}", number(*p.minimum), number(*p.maximum));
  if (p.minimum) return fmt::format("at least {}", number(*p.minimum));
  return fmt::format("at most {}", number(*p.maximum));
}

}  // namespace

ParameterDeclaration integer_parameter(std::string name, std::int64_t default_value, double minimum,
                                       double maximum, std::string help) {
  return {std::move(name),
          ParameterType::kInteger,
          default_value,
          std::move(help),
          minimum,
          maximum,
          {},
          false};
}

ParameterDeclaration real_parameter(std::string name, double default_value, double minimum,
                                    double maximum, std::string help) {
  return {std::move(name),
          ParameterType::kReal,
          default_value,
          std::move(help),
          minimum,
          maximum,
          {},
          false};
}

ParameterDeclaration choice_parameter(std::string name, std::string default_value,
                                      std::vector<std::string> choices, std::string help) {
  return {std::move(name), ParameterType::kText, std::move(default_value), std::move(help),
          std::nullopt,    std::nullopt,         std::move(choices),       false};
}

ParameterDeclaration tuning_parameter(ParameterDeclaration declaration) {
  declaration.is_tuning = true;
  return declaration;
}

Value typed_value(const ParameterDeclaration& p, std::string_view text) {
  const auto fail = [&](std::string_view what) -> SpecError {
    return SpecError(fmt::format("parameter '{}': {}", p.name, what));
  };
  if (p.type == ParameterType::kText) {
    std::string value(text);
    if (!p.choices.empty() &&
        std::find(p.choices.begin(), p.choices.end(), value) == p.choices.end())
      throw fail(fmt::format("'{}' is not a choice{}", text, suggestion(text, p.choices)));
    return value;
  }
  if (p.type == ParameterType::kBoolean) {
    if (text == "true") return true;
    if (text == "false") return false;
    throw fail(fmt::format("expected true or false, not '{}'", text));
  }
  const auto require_range = [&](double value) {
    if ((p.minimum && !(value >= *p.minimum)) || (p.maximum && !(value <= *p.maximum)))
      throw fail(fmt::format("{} is out of range: {}", text, range_text(p)));
  };
  try {
    if (p.type == ParameterType::kInteger) {
      const std::int64_t value = parse_integer(text);
      require_range(static_cast<double>(value));
      return value;
    }
    const double value = parse_real(text);
    require_range(value);
    return value;
  } catch (const SpecError& error) {
    const std::string what = error.what();
    if (what.starts_with("parameter '")) throw;
    throw fail(what);
  }
}

Params::Params(NamedValues given, const std::vector<ParameterDeclaration>& declared)
    : values_(std::move(given)) {
  for (const ParameterDeclaration& p : declared)
    if (p.is_tuning && find_value(values_, p.name) == nullptr)
      values_.emplace_back(p.name, p.default_value);
}

std::int64_t Params::integer(std::string_view name) const {
  return value_of<std::int64_t>(values_, name);
}
double Params::real(std::string_view name) const { return value_of<double>(values_, name); }
bool Params::boolean(std::string_view name) const { return value_of<bool>(values_, name); }
const std::string& Params::text(std::string_view name) const {
  return value_of<std::string>(values_, name);
}
DType Params::dtype(std::string_view name) const {
  const std::string& text_value = text(name);
  const auto dtype = dtype_named(text_value);
  if (!dtype) throw std::logic_error(fmt::format("'{}' is not a dtype", text_value));
  return *dtype;
}

}  // namespace kernelbatch
