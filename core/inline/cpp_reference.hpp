// References written in C++ in a job.
#pragma once

#include <vector>

#include "core/inline/definition.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Runs the body as one thread of a kernel on the host: it can use inputs and `specs`, the outputs
/// that it names, as views like kernels do. Throws CompileError with lines of the job's text.
Work cpp_reference(const InlineReference& reference, const std::vector<InlineInput>& inputs,
                   const std::vector<OutputArray>& specs, Run& run);

}  // namespace kernelbatch
