// Constant folding: operations on numbers, before arrays are involved.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/kernel/fuse/promotion.hpp"

namespace kernelbatch {

/// The value of an operation on constants, by Python's rules: integers are exact, `/` of two
/// integers is real, `//` and `%` round down, a bool counts as 0 or 1. Functions of numbers yield
/// numbers, too. Nothing = the operation has no value for numbers of this kind. Throws SpecError
/// for a division by zero, a negative shift, and integers of more than 127 bits.
std::optional<Constant> fold(const std::string& operation, std::span<const Constant> operands);

}  // namespace kernelbatch
