// Expressions as text: the grammar of `fuse` in job files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/fuse/expression.hpp"

namespace kernelbatch {

/// A named number of an expression: weak, or with a dtype.
struct NamedNumber {
  std::string name;
  Constant value;
  std::optional<DType> dtype = {};
};

/// Parses Python-like text, "sum((x - y) ** 2, axis=-1)", several results separated by commas.
/// Names are the inputs and `numbers`. Known functions are `astype(x, float32)`, `where`, `clip`
/// and the functions and reductions of expression.hpp, also as methods, `x.sum()`, and with the
/// prefixes np., cp., numpy. and cupy. Reductions take `axis=` (a number or a tuple; also as second
/// operand), `keepdims=`, `dtype=` and `ddof=`. `**` is the power, `^` exclusive or, as in C; in
/// the sizes of a job `^` is the power, too. Throws SpecError that quotes the text with a caret.
Graph parse_fused(std::string_view text, const std::vector<std::string>& names,
                  const std::vector<NamedNumber>& numbers = {});

/// Those of `names` that the text uses, in their order. Throws like parse_fused().
std::vector<std::string> names_in(std::string_view text, const std::vector<std::string>& names);

}  // namespace kernelbatch
