#include "core/verify/job_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/expression.hpp"

namespace kernelbatch {
namespace {

void collect_values(const YamlNode& node, std::size_t depth, Shape& shape,
                    std::vector<Number>& numbers, const NamedValues& values) {
  const bool is_list = node.is_list();
  if (numbers.empty() && static_cast<std::size_t>(shape.count()) == depth && is_list)
    shape.push_back(static_cast<std::int64_t>(node.children.size()));
  const bool expects_list = depth < static_cast<std::size_t>(shape.count());
  if (is_list != expects_list || (is_list && static_cast<std::int64_t>(node.children.size()) !=
                                                 shape[static_cast<int>(depth)]))
    fail_at(node.place, "the lists of values are not of equal length");
  if (!is_list) {
    if (!node.is_scalar())
      fail_at(node.place, fmt::format("a number is needed, not {}", describe(node)));
    numbers.push_back(evaluate_number({node.text, node.place, false}, values));
    return;
  }
  for (const YamlNode& child : node.children)
    collect_values(child, depth + 1, shape, numbers, values);
}

}  // namespace

Number evaluate_number(const Scalar& scalar, const NamedValues& values) {
  try {
    return parse_number(scalar.text);
  } catch (const SpecError&) {
    // Not a plain number: an expression.
  }
  const Value value = Expression(scalar).evaluate(values);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  fail_at(scalar.place, fmt::format("'{}' is no number", scalar.text));
}

std::int64_t evaluate_integer(const Scalar& scalar, const NamedValues& values) {
  const Number number = evaluate_number(scalar, values);
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return *integer;
  if (const auto* real = std::get_if<double>(&number))
    if (*real == std::floor(*real) && std::abs(*real) < 0x1p62)
      return static_cast<std::int64_t>(*real);
  fail_at(scalar.place,
          fmt::format("'{}' must be an integer, not {}", scalar.text, to_text(number)));
}

std::vector<std::int64_t> evaluate_integers(const Scalar& scalar, const NamedValues& values,
                                            std::string_view what) {
  if (!scalar.text.starts_with('[')) return {evaluate_integer(scalar, values)};
  const YamlNode list = parse_yaml_argument(scalar.text, to_text(scalar.place));
  if (!list.is_list()) fail_at(scalar.place, fmt::format("'{}' must be a list of integers", what));
  std::vector<std::int64_t> numbers;
  for (const YamlNode& each : list.children) {
    if (!each.is_scalar())
      fail_at(scalar.place, fmt::format("'{}' must be a list of integers", what));
    numbers.push_back(evaluate_integer({each.text, scalar.place, false}, values));
  }
  return numbers;
}

DType read_dtype(const Scalar& scalar, const NamedValues& values) {
  const Value* const parameter = scalar.quoted ? nullptr : find_value(values, scalar.text);
  const std::string name = parameter == nullptr ? scalar.text : to_text(*parameter);
  if (const auto dtype = dtype_named(name)) return *dtype;
  const auto cpp = dtype_of_cpp_name(name);
  fail_at(scalar.place, fmt::format("unknown dtype '{}'{}", name,
                                    cpp ? fmt::format(" (did you mean '{}'?)", name_of(*cpp))
                                        : suggestion(name, dtype_names())));
}

Array read_values(const YamlNode& node, std::optional<DType> dtype, const NamedValues& values) {
  Shape shape;
  std::vector<Number> numbers;
  collect_values(node, 0, shape, numbers, values);
  std::size_t widest = 0;
  for (const Number& number : numbers) widest = std::max(widest, number.index());
  constexpr DType kOfKind[] = {DType::kBool, DType::kInt64, DType::kUInt64, DType::kFloat64,
                               DType::kComplex128};
  const DType type = dtype.value_or(numbers.empty() ? DType::kFloat64 : kOfKind[widest]);
  Array array = Array::on_host(type, shape);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    write_number(numbers[k], type, array.data() + k * size_of(type));
  return array;
}

std::vector<ViewStep> read_view_steps(const std::vector<std::pair<std::string, Scalar>>& options,
                                      const NamedValues& values) {
  std::vector<ViewStep> steps;
  for (const auto& [key, value] : options) {
    ViewStep step;
    if (key == "slice") {
      step.slice = value.text;
    } else {
      step.kind = key == "transpose"      ? ViewStep::Kind::kTranspose
                  : key == "broadcast_to" ? ViewStep::Kind::kBroadcast
                                          : ViewStep::Kind::kReshape;
      if (!(key == "transpose" && value.text == "true"))
        step.numbers = evaluate_integers(value, values, key);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace kernelbatch
