#include "core/kernel/text/type_solver.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

struct Binding {
  DType dtype;
  std::string by;  ///< the parameter that bound it
  bool is_handle = false;
};

/// Binds the placeholder of a texture, which no other parameter may share.
void bind_handle(const Parameter& parameter, const Argument& argument,
                 const std::vector<Parameter>& in, const std::vector<Parameter>& out,
                 std::map<std::string, Binding>& bindings) {
  if (parameter.dtype || parameter.is_raw)
    throw SpecError(
        fmt::format("parameter '{}' was given {}: declare it by a placeholder of its "
                    "own, as in 'U {}'",
                    parameter.name, argument.describe(), parameter.name));
  for (const auto* list : {&in, &out})
    for (const Parameter& other : *list)
      if (other.type == parameter.type && other.name != parameter.name)
        throw SpecError(
            fmt::format("parameter '{}' was given {} and needs a placeholder of its "
                        "own: '{}' is also the type of '{}'",
                        parameter.name, argument.describe(), parameter.type, other.name));
  bindings.emplace(parameter.type, Binding{argument.dtype(), parameter.name, true});
}

void bind(const Parameter& parameter, const Argument& argument,
          std::map<std::string, Binding>& bindings) {
  if (!argument.is_array()) return;
  const DType given = argument.dtype();
  if (parameter.dtype) {
    if (*parameter.dtype != given)
      throw SpecError(fmt::format("parameter '{}' is declared {} and was given {}", parameter.name,
                                  name_of(*parameter.dtype), name_of(given)));
    return;
  }
  const auto [found, is_new] = bindings.try_emplace(parameter.type, Binding{given, parameter.name});
  if (!is_new && found->second.dtype != given)
    throw SpecError(fmt::format("type mismatch for '{}': '{}' is {}, '{}' is {}", parameter.type,
                                found->second.by, name_of(found->second.dtype), parameter.name,
                                name_of(given)));
}

DType dtype_of(const Parameter& parameter, const std::map<std::string, Binding>& bindings,
               const std::vector<Parameter>& in, const std::vector<Parameter>& out) {
  if (parameter.dtype) return *parameter.dtype;
  const auto found = bindings.find(parameter.type);
  if (found != bindings.end()) return found->second.dtype;
  std::vector<std::string> candidates;
  for (const auto* list : {&out, &in})
    for (const Parameter& other : *list)
      if (other.type == parameter.type) candidates.push_back("'" + other.name + "'");
  throw SpecError(fmt::format("the type '{}' of '{}' cannot be determined: pass an array for {}",
                              parameter.type, parameter.name, join(candidates, " or ")));
}

}  // namespace

ResolvedTypes solve_types(const std::vector<Parameter>& in, const std::vector<Parameter>& out,
                          std::span<const Argument> in_arguments,
                          std::span<const Argument> out_arguments) {
  std::map<std::string, Binding> bindings;
  for (std::size_t k = 0; k < in_arguments.size(); ++k)
    if (in_arguments[k].is_handle()) bind_handle(in[k], in_arguments[k], in, out, bindings);
  for (std::size_t k = 0; k < out_arguments.size(); ++k) bind(out[k], out_arguments[k], bindings);
  for (std::size_t k = 0; k < in_arguments.size(); ++k) bind(in[k], in_arguments[k], bindings);
  ResolvedTypes types;
  for (const Parameter& parameter : in) types.in.push_back(dtype_of(parameter, bindings, in, out));
  for (const Parameter& parameter : out)
    types.out.push_back(dtype_of(parameter, bindings, in, out));
  for (const auto& [letter, binding] : bindings) {
    types.placeholders[letter] = binding.dtype;
    if (binding.is_handle) types.textures.insert(letter);
  }
  return types;
}

std::string typedefs_of(const ResolvedTypes& types) {
  std::string text;
  // The C type is an unsigned long long; the typedef's name documents it, also for the host's
  // compiler.
  for (const std::string& letter : types.textures)
    text += fmt::format("typedef cudaTextureObject_t {};\n", letter);
  for (const auto& [letter, dtype] : types.placeholders)
    if (!types.textures.contains(letter))
      text += fmt::format("typedef {} {};\nstatic_assert(sizeof({}) == {}, \"size of {}\");\n",
                          info(dtype).c_name, letter, letter, size_of(dtype), letter);
  return text;
}

}  // namespace kernelbatch
