// Determines the dtype of each placeholder letter of a kernel in a call.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"
#include "core/kernel/text/parameter.hpp"

namespace kernelbatch {

/// The dtypes of a call's parameters.
struct ResolvedTypes {
  std::map<std::string, DType> placeholders;
  std::set<std::string> textures;  ///< placeholders that stand for a texture or surface object
  std::vector<DType> in, out;      ///< one per parameter
};

/// Given outputs bind placeholders first, then inputs, each strictly; scalars do not bind and are
/// cast later. No other parameter may share a texture's or surface's placeholder. Throws SpecError
/// naming the parameter and both dtypes, or the unbound placeholder and the parameters that could
/// bind it.
ResolvedTypes solve_types(const std::vector<Parameter>& in, const std::vector<Parameter>& out,
                          std::span<const Argument> in_arguments,
                          std::span<const Argument> out_arguments);

/// "typedef float T;" lines.
std::string typedefs_of(const ResolvedTypes& types);

}  // namespace kernelbatch
