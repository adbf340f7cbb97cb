// The mappings of a job that say how to run it, whatever the workload.
#pragma once

#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// What a preset sets: `quick` for a look (about 2% in at most 2 s a variant), `standard`, `paper`
/// for numbers to publish (0.2%, up to 60 s).
MeasureSpec measure_preset(Preset preset);

/// All throw SpecError with a place.
MeasureSpec parse_measure(const YamlNode& node);
VerifySpec parse_verify(const YamlNode& node);
LimitsSpec parse_limits(const YamlNode& node);
OutputSpec parse_output(const YamlNode& node);
SlurmSpec parse_slurm(const YamlNode& node);

/// What a run for a profiler measures: three bare samples, one after the other, between
/// start_profiler() and stop_profiler().
MeasureSpec for_profiler(const MeasureSpec& spec);

}  // namespace kernelbatch
