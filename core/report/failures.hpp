// Failures as text, with their likely causes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// A failure over several lines: case, phase, reason, likely cause, the worker's last lines, and,
/// with the command `again` that runs the job, one that reruns the variant of this case. `alike`:
/// number of other cases with the same failure.
std::string failure_text(const ResultRecord& record, const TextFormat& format = {},
                         const std::string& again = "", std::size_t alike = 0);

/// The failures; of those of one variant that differ only in numbers, the first with the number of
/// the others.
std::string failures_text(const std::vector<const ResultRecord*>& failures,
                          const TextFormat& format = {}, const std::string& again = "");

}  // namespace kernelbatch
