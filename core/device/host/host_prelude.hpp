// The headers that kernels include on the host.
#pragma once

#include "core/device/prelude.hpp"

namespace kernelbatch::host {

const Prelude& host_prelude();

}  // namespace kernelbatch::host
