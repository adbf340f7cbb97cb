// Inputs of a job that nothing uses.
#pragma once

#include <vector>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// An unused input is an error: in its name, or in a kernel. Throws SpecError with its place.
void require_inputs_used(const InlineSpec& spec, const std::vector<InputSpec>& inputs);

}  // namespace kernelbatch
