// The source text of a reduction kernel, for one schedule.
#pragma once

#include <string>

#include "core/kernel/reduction/pass.hpp"

namespace kernelbatch {

/// A reduce type that only the compiler knows the size of is given this much room per partial
/// result; the text refuses to compile where it is larger.
inline constexpr std::size_t kLargestReduceType = 256;

/// What is compiled; the kernel in it has the definition's name, and takes `parameter`.
std::string reduction_source(const ReductionDefinition& definition, const ReductionPass& pass,
                             const StructBytes& parameter);

}  // namespace kernelbatch
