// Kernel sources kept in a folder, for profilers and debuggers.
#pragma once

#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Where KERNELBATCH_KEEP_SOURCE names a folder: writes the source as <name>-<key8>.cu there,
/// characters that do not belong into a file's name replaced by `_`. Throws StoreError.
void keep_source(const KernelSource& source, std::string_view key);

}  // namespace kernelbatch
