// `workload: inline`: kernels written in the job.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Is this entry's workload `inline`?
bool is_inline(const YamlNode& mapping);

/// Reads `variants`, `outputs` and `reference`. Every key of a variant is known to be one of its
/// kind's; values are read when the arrays are known. Throws SpecError with the place.
InlineSpec parse_inline(const YamlNode& mapping);

/// The mapping that parse_inline() reads the same spec from.
YamlNode to_node(const InlineSpec& spec);

}  // namespace kernelbatch
