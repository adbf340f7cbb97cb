// The raw variant of squared_diff with tuning parameters.
#pragma once

#include <vector>

#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

std::vector<ParameterDeclaration> tuning_parameters();

/// True if the job sets one of them: then raw_tuned() is the raw variant.
bool is_tuned(const Run& run);

/// Throws UnsupportedError, naming the parameters, if there is no such kernel.
Work raw_tuned(const SquaredDiff& in, Run& run);

}  // namespace kernelbatch::workloads::squared_diff
