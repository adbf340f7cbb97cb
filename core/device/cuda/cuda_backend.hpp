// GPUs as a backend. Present in every build; without a CUDA Toolkit it only reports the reason.
#pragma once

#include "core/device/backend.hpp"

namespace kernelbatch::cuda {

extern const Backend kBackend;

}  // namespace kernelbatch::cuda
