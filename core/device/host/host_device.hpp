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
/// With `kinds`, the device performs these checks in all of its kernels.
std::unique_ptr<Device> open(const CheckKinds& kinds = {});

/// Runs `work` and lists its launches on a device from open().
LaunchList record_launches(Device& device, const std::function<void()>& work);

}  // namespace kernelbatch::host
