// Transfer of outputs from a worker to the supervisor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/case/requested_case.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// True if the job stores outputs of results with that status.
bool keeps_outputs(KeptArrays kept, Status status) noexcept;

/// Number of elements kept of an array when only every stride-th one is stored.
std::int64_t spilled_elements(std::int64_t elements, std::int64_t stride) noexcept;

/// Writes the outputs that the job stores to separate files, which the supervisor puts into the
/// shard: they survive the worker. Records what is stored of each. Throws StoreError.
std::vector<SpilledOutput> spill_outputs(const RequestedCase& wanted, ResultRecord& record,
                                         const std::map<std::string, Array>& outputs);

}  // namespace kernelbatch
