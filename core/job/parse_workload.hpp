// One workload of a job: the top level, or one entry of `workloads:`.
#pragma once

#include <span>

#include "core/job/keys/key.hpp"
#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Keys of a workload, at the top level and in `workloads:`.
std::span<const Key> workload_keys();

/// Reads workload_keys() of a mapping; other keys are left to the caller. Throws SpecError with a
/// place.
WorkloadSpec parse_workload(const YamlNode& mapping);

/// `entry` with keys inherited from the top level: see parse_job().
YamlNode inherit(const YamlNode& entry, const YamlNode& top);

}  // namespace kernelbatch
