// The mappings of a job for running it, independent of the workload.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// Settings of a preset: `quick` for a first impression (about 2% in at most 2 s a variant),
/// `standard`, `paper` for publication (0.2%, up to 60 s).
MeasureSpec measure_preset(Preset preset);

/// All throw SpecError with a place.
MeasureSpec parse_measure(const YamlNode& node);
VerifySpec parse_verify(const YamlNode& node);
LimitsSpec parse_limits(const YamlNode& node);
OutputSpec parse_output(const YamlNode& node);
SlurmSpec parse_slurm(const YamlNode& node);

/// Settings of a run for a profiler: three plain samples in sequence between start_profiler() and
/// stop_profiler().
MeasureSpec for_profiler(const MeasureSpec& spec);

}  // namespace kernelbatch
