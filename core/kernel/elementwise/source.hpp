// The text of an elementwise kernel, for one loop over its arrays.
#pragma once

#include <string>

#include "core/kernel/elementwise/policy.hpp"

namespace kernelbatch {

/// What is compiled; the kernel in it has the definition's name.
std::string elementwise_source(const ElementwiseDefinition& definition,
                               const ElementwiseLoop& loop);

}  // namespace kernelbatch
