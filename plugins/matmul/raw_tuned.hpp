// The raw variant of matmul with tuning parameters.
#pragma once

#include <vector>

#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {

std::vector<ParameterDeclaration> tuning_parameters();

/// True if the job sets one of them: then raw_tuned() is the raw variant.
bool is_tuned(const Run& run);

/// Throws UnsupportedError, naming the parameters, if there is no such kernel.
Work raw_tuned(const Matmul& in, Run& run);

}  // namespace kernelbatch::workloads::matmul
