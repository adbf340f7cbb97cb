// From a list of launches to what a result says of them.
#pragma once

#include "core/device/launch_log.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Adds the launches and their number; raises registers, shared and local memory to the most that
/// any launch uses; occupancy is that of the launch that took longest (of the largest grid where
/// durations are unknown). Does nothing where nothing could be listed.
void add_launches(const LaunchList& list, ResultRecord& record);

}  // namespace kernelbatch
