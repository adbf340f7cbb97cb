// The headers that kernels include as kernelbatch/device.hpp, chosen for each source.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One header; `name` is what an #include says.
struct PreludeFile {
  std::string name, text;
};

/// All headers of a backend's prelude. device.hpp ends with includes of the parts that this source
/// uses: reading all of them would cost every kernel more than compiling it does. A text may
/// include any part itself.
std::vector<PreludeFile> prelude_for(DeviceKind kind, const KernelSource& source);

/// Hash of everything that prelude_for() can give: part of a compiler's identity.
const std::string& prelude_hash(DeviceKind kind);

}  // namespace kernelbatch
