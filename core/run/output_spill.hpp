// Outputs on their way from a worker to the supervisor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/run/case_request.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// Writes those outputs of a result that the job stores to files of their own, which the supervisor
/// puts into the shard: they survive the worker. Says in the record what is stored of each. Throws
/// StoreError.
std::vector<SpilledOutput> spill_outputs(const CaseRequest& request, ResultRecord& record,
                                         const std::map<std::string, Array>& outputs);

}  // namespace kernelbatch
