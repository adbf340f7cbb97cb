// Options of the command line that change a job before it is interpreted.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Replaces or adds keys of a job's tree, settings first, each kind in order. A value is YAML; in a
/// `-p` value, a comma outside of brackets and quotes separates values. A parameter is set for
/// every workload, replacing values in entries of `workloads:`. A setting's path may include list
/// indices ("workloads.0.baseline"); missing mappings are created; the value `null` removes the
/// key, which restores its default. Places of set values are "-p n=1e6", without a line. Throws
/// SpecError that names the option.
void apply_overrides(YamlNode& job, const Overrides& overrides);

}  // namespace kernelbatch
