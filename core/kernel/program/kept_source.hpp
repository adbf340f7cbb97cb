// Kernel sources kept in a folder, for profilers and debuggers.
#pragma once

#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch {

/// If KERNELBATCH_KEEP_SOURCE names a folder, writes the source there as <name>-<key8>.cu, with `_`
/// for characters that are not suitable in a file name. Throws StoreError.
void keep_source(const KernelSource& source, std::string_view key);

}  // namespace kernelbatch
