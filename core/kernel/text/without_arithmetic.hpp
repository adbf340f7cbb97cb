// Text of kernels with the same memory accesses but almost no arithmetic.
#pragma once

#include <string>
#include <vector>

namespace kernelbatch {

/// Helper functions for the others, at file scope.
extern const char* const kBitsPreamble;

/// An expression of type unsigned that needs the value of each variable.
std::string bits_of(const std::vector<std::string>& variables);
/// A statement that assigns these bits to a variable of any type.
std::string assigned_bits(const std::string& variable, const std::string& bits);

}  // namespace kernelbatch
