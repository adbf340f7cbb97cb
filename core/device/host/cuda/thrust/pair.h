// thrust's pairs, by the names of cuda::std, on the host device.
#pragma once

#include "cuda/std/utility"

namespace thrust {
using cuda::std::get;
using cuda::std::make_pair;
using cuda::std::pair;
}  // namespace thrust
