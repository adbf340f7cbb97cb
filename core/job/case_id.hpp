// Identity of a case: independent of run, machine, and the order of the job's values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/value.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// 16 hexadecimal digits: half of an XXH3 of the workload, its version, the parameters and the
/// inputs (name → description). Parameters and inputs are sorted by name, and every field includes
/// its type and length, so that different cases have different texts. The job's name, device and
/// variants are not included.
std::string case_id(std::string_view workload, std::string_view version, const NamedValues& values,
                    std::span<const std::pair<std::string, std::string>> inputs = {});

/// Canonical text of an input for case_id(): its source and options, not a file's content.
std::string describe_input(const InputSpec& input);

}  // namespace kernelbatch
