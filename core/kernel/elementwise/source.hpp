// The text of an elementwise kernel, for one loop over its arrays.
#pragma once

#include <string>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

/// The text to compile; its kernel has the definition's name.
std::string elementwise_source(const ElementwiseDefinition& definition,
                               const ElementwiseLoop& loop);

}  // namespace kernelbatch
