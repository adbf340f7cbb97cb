// Expressions as text: the grammar of `fuse` in job files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/fuse/expression.hpp"

namespace kernelbatch {

/// Parses Python-like text, "sum((x - y) ** 2, axis=-1)", several results separated by commas.
/// Names are the inputs; `astype(x, float32)`, `where`, `clip` and the functions and reductions of
/// expression.hpp are known; reductions take `axis=` (a number or a tuple) and `keepdims=True`.
/// `**` is the power, `^` exclusive or, as in C; in the sizes of a job `^` is the power, too.
/// Throws SpecError that quotes the text with a caret.
Graph parse_fused(std::string_view text, const std::vector<std::string>& names);

/// Those of `names` that the text uses, in their order. Throws as parse_fused() does.
std::vector<std::string> names_in(std::string_view text, const std::vector<std::string>& names);

}  // namespace kernelbatch
