// The text of kernels that read and write as others do, and compute next to nothing.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch {

/// Functions for the others, at file scope.
extern const char* const kBitsPreamble;

/// An expression of type unsigned that needs the value of each variable.
std::string bits_of(const std::vector<std::string>& variables);
/// A statement that gives a variable of any type these bits.
std::string assigned_bits(const std::string& variable, const std::string& bits);

}  // namespace kernelbatch
