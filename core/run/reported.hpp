// What a worker reports, held against what can be stored. All throw RunError.
#pragma once

#include <cstddef>

#include "core/case/message.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

void require_plain_names(const NamedValues& values);

/// What would be refused when the case is stored, and cost the whole of it.
void require_storable(const ResultRecord& record);

/// That the result describes an output which came with it, and that it has that many bytes.
void require_described(const ResultRecord& record, const SpilledOutput& output);
void require_size(const ResultRecord& record, const SpilledOutput& output, std::size_t bytes);

}  // namespace kernelbatch
