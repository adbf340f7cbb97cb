// thrust::swap, without what thrust's header has for the host.
#pragma once

#include "cuda/std/utility"

namespace thrust {
using cuda::std::swap;
}  // namespace thrust
