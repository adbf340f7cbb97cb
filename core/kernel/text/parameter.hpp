// The parameter lists of elementwise and reduction kernels: "T x, raw float32 y".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// One `[raw] [_non_const] TYPE NAME`. TYPE is a dtype's name, or one letter: a placeholder.
struct Parameter {
  std::string name;
  std::string type;            ///< as written
  std::optional<DType> dtype;  ///< nothing for a placeholder
  bool is_raw = false;
  bool is_non_const = false;  ///< a raw input that the text may write to
};

/// Parses a comma-separated list; an empty text is an empty list. `what` names the list in errors
/// ("in_params"). Throws SpecError that quotes the text with a caret under the error.
std::vector<Parameter> parse_parameters(std::string_view text, std::string_view what);

/// Throws SpecError for a name that occurs in both lists, or twice in one.
void require_distinct(const std::vector<Parameter>& in, const std::vector<Parameter>& out);

/// Throws SpecError for an output that `text` does not name, so that nothing writes it. Nothing is
/// checked if a `preamble` defines macros, which may hide the name.
void require_written(const std::vector<Parameter>& out, std::string_view text,
                     std::string_view preamble, std::string_view kernel);

/// Throws SpecError unless `name` can name a kernel.
void require_kernel_name(std::string_view name);

}  // namespace kernelbatch
