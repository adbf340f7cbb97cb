// A device that compiles for a target and runs nothing: fills the kernel cache where there is no
// GPU.
#pragma once

#include <functional>
#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Makes a module's kernels known (their names and parameters); they are never launched.
using LoadForInspection = std::function<std::unique_ptr<Module>(const Image& image)>;

/// Looks like a device with these properties, so that what is generated for it is what is generated
/// for the real one. Memory is address space that must not be accessed, aligned to 256 bytes;
/// copies to the host give zeros and other copies do nothing; kernels take any launch and do
/// nothing. Kernels compiled ahead are compiled once more from their text, for their parameters;
/// that is not cached.
std::unique_ptr<Device> make_compile_only_device(DeviceProperties properties,
                                                 std::unique_ptr<Compiler> compiler,
                                                 LoadForInspection load);

}  // namespace kernelbatch
