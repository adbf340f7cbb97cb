// GPUs as a backend, which is in every build: where there was no CUDA Toolkit, it says so.
#pragma once

#include "core/device/backend.hpp"

namespace kernelbatch::cuda {

extern const Backend kBackend;

}  // namespace kernelbatch::cuda
