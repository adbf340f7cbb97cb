// The kernel of a variant, read from the job's text.
#pragma once

#include <string>

#include "core/base/value.hpp"
#include "core/job/kernel_definition.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Numbers may be expressions of `facts`. The definition has views of the variant's texts. Throws
/// SpecError with the place.
KernelDefinition read_kernel(const InlineVariant& variant, const NamedValues& facts,
                             const std::string& job_folder);

}  // namespace kernelbatch
