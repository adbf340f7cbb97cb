// References that a job writes in C++.
#pragma once

#include <vector>

#include "core/inline/definition.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Runs the body as one thread of a kernel on the host: it sees inputs and `specs`, the outputs
/// that it names, as the kernels' views. Throws CompileError into the job's own text.
Work cpp_reference(const InlineReference& reference, const std::vector<InlineInput>& inputs,
                   const std::vector<OutputArray>& specs, Run& run);

}  // namespace kernelbatch
