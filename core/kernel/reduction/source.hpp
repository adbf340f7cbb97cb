// The source text of a reduction kernel, for one schedule.
#pragma once

#include <string>

#include "core/kernel/reduction/pass.hpp"

namespace kernelbatch {

/// Room per partial result of a reduce type whose size only the compiler knows; the text does not
/// compile if the type is larger.
inline constexpr std::size_t kLargestReduceType = 256;

/// The text to compile; its kernel has the definition's name and takes `parameter`.
std::string reduction_source(const ReductionDefinition& definition, const ReductionPass& pass,
                             const StructBytes& parameter);

}  // namespace kernelbatch
