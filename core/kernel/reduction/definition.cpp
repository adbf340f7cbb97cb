#include "core/kernel/reduction/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/kernel/text/tokens.hpp"
#include "core/kernel/text/without_arithmetic.hpp"

namespace kernelbatch {
namespace {

bool is_number(const std::string& reduce_type) {
  static const std::set<std::string, std::less<>> kNumbers = {
      "", "bool", "char", "short", "int", "unsigned", "long long", "float", "double"};
  return kNumbers.contains(reduce_type);
}

/// True if `a` and `b` can be swapped in the operator: a built-in C++ operator on numbers, or a
/// minimum or maximum of two. Any other text is assumed not to commute.
bool surely_commutes(const std::string& reduce, const ReductionOptions& options) {
  // A preamble may redefine names and operators.
  for (const char* word : {"define", "operator", "min", "max", "fmin", "fmax"})
    if (mentions(options.preamble, word)) return false;
  std::string text;
  for (const std::string& token : tokens_of(reduce)) text += token;
  for (const auto& [a, b] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    for (const char* sign : {"+", "*", "&", "|", "^", "&&", "||"})
      if (text == fmt::format("{}{}{}", a, sign, b)) return true;
    for (const char* function : {"min", "max", "fmin", "fmax"})
      if (text == fmt::format("{}({},{})", function, a, b)) return true;
  }
  return false;
}

}  // namespace

ReductionDefinition::ReductionDefinition(std::string_view in_params, std::string_view out_params,
                                         std::string_view map_text, std::string_view reduce_text,
                                         std::string_view post_map_text,
                                         std::optional<std::string> identity_text,
                                         std::string_view kernel_name, ReductionOptions how)
    : in(parse_parameters(in_params, "in_params")),
      out(parse_parameters(out_params, "out_params")),
      map(map_text),
      reduce(reduce_text),
      post_map(post_map_text),
      identity(std::move(identity_text)),
      name(kernel_name),
      options(std::move(how)),
      counts_inputs(mentions(map, "_j")),
      reduces_small(is_number(options.reduce_type) ||
                    (options.reduce_bytes > 0 && options.reduce_bytes <= 16)),
      commutes(options.commutes ||
               (is_number(options.reduce_type) && surely_commutes(reduce, options))) {
  require_kernel_name(name);
  require_distinct(in, out);
  if (out.empty()) throw SpecError(fmt::format("reduction '{}' has no output", name));
  for (const auto& [what, text] :
       {std::pair{"map", &map}, std::pair{"reduce", &reduce}, std::pair{"post_map", &post_map}})
    if (tokens_of(*text).empty()) throw SpecError(fmt::format("'{}': {} is empty", name, what));
  require_written(out, post_map, options.preamble, name);
  if (identity && identity->empty()) identity.reset();
}

std::size_t ReductionDefinition::reduced_bytes(DType first_output) const {
  if (options.reduce_type.empty()) return size_of(first_output);
  return std::max<std::size_t>(8, static_cast<std::size_t>(options.reduce_bytes));
}

bool ReductionDefinition::keeps_old_value(const Parameter& output) const {
  return may_leave(post_map) || !assigns_first(post_map, output.name);
}

std::optional<ReductionDefinition> without_arithmetic(const ReductionDefinition& definition) {
  const auto is_raw = [](const Parameter& parameter) { return parameter.is_raw; };
  if (std::ranges::any_of(definition.in, is_raw) || std::ranges::any_of(definition.out, is_raw))
    return std::nullopt;
  std::vector<std::string> read;
  for (const Parameter& input : definition.in) read.push_back(input.name);
  if (read.empty()) return std::nullopt;
  ReductionDefinition twin = definition;
  twin.options.preamble += kBitsPreamble;
  twin.map = fmt::format("_value_of<_type_reduce>({})", bits_of(read));
  return twin;
}

}  // namespace kernelbatch
