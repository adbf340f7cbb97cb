// A JobSpec as YAML, with every default written out.
#pragma once

#include <string>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// The resolved job: generators expanded, presets and defaults filled in, one key for each setting.
/// parse_job() of it gives the same JobSpec but for places, `path` and `source`. What a workload
/// decides where the job is silent (variants, baseline, reference, tolerances) stays out.
std::string to_yaml(const JobSpec& job);

/// One section of it.
std::string to_yaml(const MeasureSpec& measure);
std::string to_yaml(const VerifySpec& verify);

}  // namespace kernelbatch
