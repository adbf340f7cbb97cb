// Summarises a list of launches in a result.
#pragma once

#include "core/device/launch_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Adds the launches and their number; raises registers, shared and local memory to the maximum
/// over all launches; occupancy is that of the longest launch (of the largest grid if durations are
/// unknown). Does nothing if nothing could be listed.
void add_launches(const LaunchList& list, ResultRecord& record);

}  // namespace kernelbatch
