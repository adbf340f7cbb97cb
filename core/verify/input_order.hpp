// The order of the elements in a second set of inputs.
#pragma once

#include "core/array/array.hpp"

namespace kernelbatch {

/// The elements in another order for a second set of inputs; for inputs that are not random.
/// Random arrays, which have other values in the second set, and integers that may be offsets or
/// sizes stay as they are: a kernel may use these as places in memory.
Array in_another_order(const Array& array);

}  // namespace kernelbatch
