// The order of the elements in a second set of inputs.
#pragma once

#include "core/array/random.hpp"

namespace kernelbatch {

/// The elements in the order of a set of inputs, if `random` has not made them.
/// Random arrays, which have other values in the second set, and integers that may be offsets or
/// sizes stay as they are: a kernel may use these as places in memory.
Array in_another_order(const Array& array, RandomSource& random);

}  // namespace kernelbatch
