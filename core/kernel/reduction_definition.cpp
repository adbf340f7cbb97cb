#include "core/kernel/reduction_definition.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/tokens.hpp"

namespace kernelbatch {

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
      counts_inputs(mentions(map, "_j")) {
  require_kernel_name(name);
  require_distinct(in, out);
  if (out.empty()) throw SpecError(fmt::format("reduction '{}' has no output", name));
  if (identity && identity->empty()) identity.reset();
}

}  // namespace kernelbatch
