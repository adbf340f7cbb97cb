#include "core/kernel/text/chunk_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {

std::string replace_names(const std::string& text, std::map<std::string, std::string> names,
                          const std::vector<Parameter>& in, const std::vector<Parameter>& out) {
  for (const auto* list : {&in, &out})
    for (const Parameter& parameter : *list) names.erase(parameter.name);
  return replace_identifiers(text, names);
}

bool hides_names(const std::string& preamble, std::initializer_list<const char*> names) {
  return mentions(preamble, "define") &&
         std::ranges::any_of(names, [&](const char* name) { return mentions(preamble, name); });
}

std::string parameter_text(const std::vector<Parameter>& list, const std::string& more) {
  std::string text;
  for (const Parameter& parameter : list)
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", parameter.is_raw ? "raw " : "",
                        parameter.type, parameter.name);
  if (!text.empty() && !more.empty()) text += ", ";
  return text + more;
}

ChunkRole role_of(const std::string& kernel, const Parameter& parameter, const Argument& argument,
                  const Shape& shape, int axis) {
  ChunkRole role;
  role.name = parameter.name;
  if (!argument.is_array()) return role;
  const Array& array = argument.array();
  if (parameter.is_raw) {
    if (array.is_staged())
      throw OutOfMemoryError(
          fmt::format("raw argument '{}' of '{}' does not fit on the device, and cannot pass "
                      "through it in pieces",
                      parameter.name, kernel));
    return role;
  }
  const int own = axis - (shape.count() - array.axes());
  if (own >= 0 && own < array.axes() && array.shape()[own] > 1) role.axis = own;
  return role;
}

std::vector<Array> flattened(const Shape& shape, const std::vector<Parameter>& in,
                             const std::vector<Parameter>& out,
                             std::span<const Argument> arguments) {
  std::vector<Array> flat;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    flat.emplace_back();
    if (!arguments[k].is_array()) continue;
    const Array& array = arguments[k].array();
    const bool is_raw = k < in.size() ? in[k].is_raw : out[k - in.size()].is_raw;
    if (is_raw || !(array.shape() == shape) || !array.is_contiguous()) return {};
    flat.back() = array.reshape({array.size()});
  }
  return flat;
}

}  // namespace kernelbatch
