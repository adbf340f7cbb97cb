#include "core/kernel/elementwise_definition.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/tokens.hpp"

namespace kernelbatch {

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
  skips_stores = mentions(operation, "continue") || mentions(operation, "return");
  const std::vector<std::string> tokens = tokens_of(operation);
  for (std::size_t k = 0; k < tokens.size(); ++k)
    needs_axes = needs_axes || (tokens[k] == "get" && k > 1 && tokens[k - 2] == "_ind") ||
                 names_axis(tokens[k]);
  has_loops = mentions(operation, "for") || mentions(operation, "while");
  // A macro of the preamble may hide what the text asks for.
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
  return skips_stores || !assigns_first(operation, output.name);
}

}  // namespace kernelbatch
