// The host CPU as a device.
#pragma once

#include <memory>

#include "core/device/device.hpp"
#include "core/device/host/host_compiler.hpp"

namespace kernelbatch::host {

DeviceProperties host_properties();
std::unique_ptr<Device> open();

}  // namespace kernelbatch::host
