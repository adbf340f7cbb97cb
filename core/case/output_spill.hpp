// Outputs on their way from a worker to the supervisor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/case/requested_case.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Whether the job stores outputs of a result with that status.
bool keeps_outputs(KeptArrays kept, Status status) noexcept;

/// Of an array of so many elements, those that are kept when only every stride-th one is.
std::int64_t spilled_elements(std::int64_t elements, std::int64_t stride) noexcept;

/// Writes those outputs of a result that the job stores to files of their own, which the supervisor
/// puts into the shard: they survive the worker. Says in the record what is stored of each. Throws
/// StoreError.
std::vector<SpilledOutput> spill_outputs(const RequestedCase& wanted, ResultRecord& record,
                                         const std::map<std::string, Array>& outputs);

}  // namespace kernelbatch
