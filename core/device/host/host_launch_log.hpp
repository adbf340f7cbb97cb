// The launches of kernels on the host while a LaunchLog records them.
#pragma once

#include <functional>
#include <string>

#include "core/device/launch_log.hpp"

namespace kernelbatch::host {

/// Whether launches are being listed on this thread.
bool is_recording() noexcept;
/// Adds one, in the order of the calls; only while is_recording().
void record_launch(const std::string& name, const LaunchShape& shape, double duration);

/// Runs `work` and lists what it launches, each with the time that the host took for it.
LaunchList record_launches(const std::function<void()>& work);

}  // namespace kernelbatch::host
