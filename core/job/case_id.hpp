// The identity of a case, the same in every run, on every machine, in any order of the job's
// values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/value.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// 16 hexadecimal digits: half of an XXH3 of the workload, its version, the parameters and the
/// inputs (name → description), each of the two sorted by name and every field with its type and
/// length, so that no two cases share a text. Nothing of the job's name, device or variants is in
/// it.
std::string case_id(std::string_view workload, std::string_view version, const NamedValues& values,
                    std::span<const std::pair<std::string, std::string>> inputs = {});

/// An input in canonical words for case_id(): its source and options, not a file's content.
std::string describe_input(const InputSpec& input);

}  // namespace kernelbatch
