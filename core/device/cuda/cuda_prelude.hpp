// The headers that kernels include on a GPU.
#pragma once

#include "core/device/prelude.hpp"

namespace kernelbatch::cuda {

const Prelude& cuda_prelude();

}  // namespace kernelbatch::cuda
