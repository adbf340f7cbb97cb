// Kernels and modules of the host device.
#pragma once

#include <memory>

#include "core/device/device.hpp"
#include "core/device/host/host_launch_log.hpp"
#include "core/device/host/worker_pool.hpp"

namespace kernelbatch::host {

/// Loads an image made by the host compiler. The pool and `calls`, to which its kernels write, must
/// outlive the module.
std::unique_ptr<Module> load_module(const Image& image, const DeviceProperties& properties,
                                    WorkerPool& pool, LaunchCalls& calls,
                                    Checker* checker = nullptr);

}  // namespace kernelbatch::host
