// A device that compiles for a target and runs nothing: fills the kernel cache without a GPU.
#pragma once

#include <functional>
#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Loads a module so that its kernels' names and parameters are known; they are never launched.
using LoadForInspection = std::function<std::unique_ptr<Module>(const Image& image)>;

/// A device with these properties, so that the code generated for it equals that for the real
/// device. Its memory is address space that must not be accessed, aligned to 256 bytes. Copies to
/// the host yield zeros, other copies do nothing, and kernels accept any launch and do nothing.
/// Precompiled kernels are compiled again from their text to get their parameters; the result is
/// not cached.
std::unique_ptr<Device> make_compile_only_device(DeviceProperties properties,
                                                 std::unique_ptr<Compiler> compiler,
                                                 LoadForInspection load);

}  // namespace kernelbatch
