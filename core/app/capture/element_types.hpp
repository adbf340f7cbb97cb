// Element types of captured arrays, guessed from the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/app/capture/form.hpp"
#include "core/app/capture/record.hpp"
#include "core/array/dtype.hpp"

namespace kernelbatch::app {

/// For each allocation the type that the kernel's PTX loads and stores through the pointers to it;
/// nothing if they differ, or are unknown.
std::vector<std::optional<DType>> guessed_types(const LaunchRecord& record);

/// Lines of a job's comment: what was guessed, and which arrays are bytes of unknown type. `names`
/// are those of the arrays, `forms` what the user stated.
std::string types_comment(const LaunchRecord& record, const std::vector<std::string>& names,
                          const std::vector<std::optional<DType>>& guesses,
                          const CapturedForms& forms);

}  // namespace kernelbatch::app
