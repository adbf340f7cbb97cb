// A JobSpec as YAML with all defaults.
#pragma once

#include <string>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// The resolved job: generators expanded, presets and defaults filled in, one key for each setting.
/// parse_job() of it returns the same JobSpec except places, `path` and `source`. Defaults from the
/// workload (variants, baseline, reference, tolerances) are not included.
std::string to_yaml(const JobSpec& job);

/// One section of it.
std::string to_yaml(const MeasureSpec& measure);
std::string to_yaml(const VerifySpec& verify);

}  // namespace kernelbatch
