// Options of the command line that change a job before it is interpreted.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Replaces or adds keys of a job's tree, settings first, each kind in order. A value is YAML; a
/// comma outside of brackets and quotes in a `-p` value separates values. A parameter is set for
/// every workload: it also leaves no entry of `workloads:` with one of its own. A setting's path
/// may go through lists by index ("workloads.0.baseline"); missing mappings are created; the value
/// `null` removes the key, so that its default holds. Places of what was set read "-p n=1e6",
/// without a line. Throws SpecError that names the option.
void apply_overrides(YamlNode& job, const Overrides& overrides);

}  // namespace kernelbatch
