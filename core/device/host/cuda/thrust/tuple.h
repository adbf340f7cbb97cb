// thrust's tuples, by the names of cuda::std, on the host device.
#pragma once

#include "cuda/std/tuple"

namespace thrust {
using cuda::std::get;
using cuda::std::ignore;
using cuda::std::make_tuple;
using cuda::std::tie;
using cuda::std::tuple;
using cuda::std::tuple_element;
using cuda::std::tuple_size;
}  // namespace thrust
