// The raw variant of squared_diff with parameters that a job tunes.
#pragma once

#include <vector>

#include "plugins/squared_diff/squared_diff.hpp"

namespace kernelbatch::workloads::squared_diff {

std::vector<ParameterDeclaration> tuning_parameters();

/// True where the job sets one of them: then raw_tuned() is the raw variant.
bool is_tuned(const Run& run);

/// Throws UnsupportedError, naming the parameters, where there is no such kernel.
Work raw_tuned(const SquaredDiff& in, Run& run);

}  // namespace kernelbatch::workloads::squared_diff
