// `workload: inline`: kernels written in the job.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// True if this entry's workload is `inline`.
bool is_inline(const YamlNode& mapping);

/// Reads `variants`, `outputs` and `reference`. The keys of a variant are checked against its
/// kind's; values are read when the arrays are known. Throws SpecError with the place.
InlineSpec parse_inline(const YamlNode& mapping);

/// The mapping from which parse_inline() reads the same spec.
YamlNode to_node(const InlineSpec& spec);

}  // namespace kernelbatch
