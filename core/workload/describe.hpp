// WorkloadInfo as JSON: how a worker tells the supervisor what a plugin declares.
#pragma once

#include <string>
#include <string_view>

#include "core/workload/workload.hpp"

namespace kernelbatch {

std::string to_json(const WorkloadInfo& info);
/// The functions of the variants are null: they live in the worker. Throws RunError for other text.
WorkloadInfo workload_info_from_json(std::string_view text);

}  // namespace kernelbatch
