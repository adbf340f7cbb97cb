#include "core/kernel/elementwise/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "core/base/error.hpp"
#include "core/kernel/text/tokens.hpp"
#include "core/kernel/text/without_arithmetic.hpp"

namespace kernelbatch {
namespace {

/// True if a name followed by a bracket may be a function of more than a few instructions. One
/// capital letter is a placeholder: a conversion.
bool calls_costly(const std::vector<std::string>& tokens) {
  static const std::set<std::string, std::less<>> kCheap = {
      "abs",   "fabs",     "fabsf",  "fma",    "fmaf",        "fmax",  "fmaxf", "fmin",
      "if",    "imag",     "int",    "max",    "min",         "real",  "conj",  "float16",
      "float", "bfloat16", "double", "sizeof", "static_cast", "isnan", "isinf", "isfinite"};
  for (std::size_t k = 1; k < tokens.size(); ++k) {
    const char first = tokens[k - 1][0];
    const bool is_placeholder =
        tokens[k - 1].size() == 1 && std::isupper(static_cast<unsigned char>(first)) != 0;
    if (tokens[k] == "(" && !is_placeholder &&
        (std::isalpha(static_cast<unsigned char>(first)) || first == '_') &&
        !kCheap.contains(tokens[k - 1]))
      return true;
  }
  return false;
}

}  // namespace

ElementwiseDefinition::ElementwiseDefinition(std::string_view in_params,
                                             std::string_view out_params, std::string_view text,
                                             std::string_view kernel_name, ElementwiseOptions how)
    : in(parse_parameters(in_params, "in_params")),
      out(parse_parameters(out_params, "out_params")),
      operation(text),
      name(kernel_name),
      options(std::move(how)) {
  require_kernel_name(name);
  require_distinct(in, out);
  if (const int block = options.block_size.value_or(1); block < 1 || block > 1024)
    throw SpecError(fmt::format("block_size must be from 1 to 1024, not {}", block));
  if (tokens_of(operation).empty())
    throw SpecError(fmt::format("'{}': the operation is empty", name));
  require_written(out, operation + "\n" + options.loop_prep + "\n" + options.after_loop,
                  options.preamble, name);
  leaves = may_leave(operation);
  const std::vector<std::string> tokens = tokens_of(operation);
  for (std::size_t k = 0; k < tokens.size(); ++k)
    needs_axes = needs_axes || (tokens[k] == "get" && k > 1 && tokens[k - 2] == "_ind") ||
                 names_axis(tokens[k]);
  has_loops = mentions(operation, "for") || mentions(operation, "while");
  calls_functions = calls_costly(tokens);
  // A macro of the preamble may hide uses of the index.
  sees_order = needs_axes || mentions(operation, "i") || mentions(operation, "_ind") ||
               mentions(options.preamble, "define");
}

bool ElementwiseDefinition::names_axis(const std::string& token) const {
  if (token.size() < 2 || token[0] != 'i' ||
      token.find_first_not_of("0123456789", 1) != std::string::npos)
    return false;
  for (const auto* list : {&in, &out})
    for (const Parameter& parameter : *list)
      if (parameter.name == token) return false;
  return true;
}

bool ElementwiseDefinition::keeps_old_value(const Parameter& output) const {
  return leaves || !assigns_first(operation, output.name);
}

std::optional<ElementwiseDefinition> without_arithmetic(const ElementwiseDefinition& definition) {
  const auto is_raw = [](const Parameter& parameter) { return parameter.is_raw; };
  if (std::ranges::any_of(definition.in, is_raw) || std::ranges::any_of(definition.out, is_raw))
    return std::nullopt;
  std::vector<std::string> read;
  for (const Parameter& input : definition.in) read.push_back(input.name);
  for (const Parameter& output : definition.out)
    if (definition.keeps_old_value(output)) read.push_back(output.name);
  if (read.empty()) return std::nullopt;
  // Keeps the rest of the definition, so that the loop plan is the same.
  ElementwiseDefinition twin = definition;
  twin.options.preamble += kBitsPreamble;
  twin.operation = fmt::format("const unsigned _all = {};", bits_of(read));
  for (const Parameter& output : definition.out)
    twin.operation += " " + assigned_bits(output.name, "_all");
  twin.leaves = false;
  return twin;
}

std::optional<ElementwiseDefinition> without_loads(const ElementwiseDefinition& definition) {
  // A loop may wait for a value that only an input has.
  if (definition.has_loops || definition.in.empty()) return std::nullopt;
  ElementwiseDefinition twin = definition;
  std::string inputs;
  for (Parameter& input : twin.in) {
    if (input.is_raw) return std::nullopt;
    input.is_raw = true;
    const std::string_view type = input.dtype ? info(*input.dtype).c_name : input.type;
    inputs += fmt::format("const {0} {1} = static_cast<{0}>(static_cast<float>(1 + (i & 7)));\n",
                          type, input.name);
  }
  for (const Parameter& output : definition.out)
    if (output.is_raw || definition.keeps_old_value(output)) return std::nullopt;
  twin.operation = inputs + definition.operation;
  twin.sees_order = true;
  return twin;
}

}  // namespace kernelbatch
