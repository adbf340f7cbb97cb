// The host CPU as a device.
#pragma once

#include <functional>
#include <memory>

#include "core/device/access_checks.hpp"
#include "core/device/device.hpp"
#include "core/device/host/host_compiler.hpp"
#include "core/device/launch_log.hpp"

namespace kernelbatch::host {

DeviceProperties host_properties();
/// With kinds of checks, the device looks for them in all that its kernels do.
std::unique_ptr<Device> open(const CheckKinds& kinds = {});

/// Runs `work` and lists what it launches on a device that open() gave.
LaunchList record_launches(Device& device, const std::function<void()>& work);

}  // namespace kernelbatch::host
