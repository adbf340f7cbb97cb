// thrust::swap on the host device.
#pragma once

#include "cuda/std/utility"

namespace thrust {
using cuda::std::swap;
}  // namespace thrust
