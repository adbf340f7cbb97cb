// Words of fused expressions: operators, aliases of functions, modules, numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/expression/tree.hpp"
#include "core/kernel/fuse/expression.hpp"

namespace kernelbatch {

const ExpressionLanguage& fuse_language() noexcept;

/// `np`, `cp`, `numpy` or `cupy`.
bool is_array_module(std::string_view name) noexcept;

/// The name of the operation that an alias names ("asin" for "arcsin"); else the name itself.
std::string without_alias(std::string name);

/// True, False, pi, e, inf or nan.
std::optional<Constant> named_constant(std::string_view name);

/// Value of a number; an integer of up to 127 bits. Throws SpecError at its place.
Constant number_of(const ExpressionTree& tree, const ExpressionNode& node);

}  // namespace kernelbatch
