// Description of a compiled kernel that Triton writes as a JSON file.
#pragma once

#include "core/job/kernel_definition.hpp"

namespace kernelbatch {

/// Fills from the file `kernel.triton` what the job does not give: entry, block, shared memory,
/// cluster, and the null pointers at the end of the parameters. Throws SpecError.
void read_triton(KernelDefinition& kernel);

}  // namespace kernelbatch
