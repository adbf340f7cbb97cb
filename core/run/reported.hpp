// Checks that a worker's reports can be stored. All throw RunError.
#pragma once

#include <cstddef>

#include "core/case/message.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

void require_plain_names(const NamedValues& values);

/// Checks everything that would be refused when the case is stored, which would lose the whole
/// case.
void require_storable(const ResultRecord& record);

/// Checks that the result describes an output that came with it, and its size in bytes.
void require_described(const ResultRecord& record, const SpilledOutput& output);
void require_size(const ResultRecord& record, const SpilledOutput& output, std::size_t bytes);

}  // namespace kernelbatch
