// Arrays as cuda::std::mdspan by value.
#pragma once

#include <string>

#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/text/formal_parameter.hpp"

namespace kernelbatch {

/// Appends the bytes of the parameter's mdspan, viewing `array`: the pointer, the extents known
/// only at run time and, for layout_stride, the strides in elements, in libcu++'s layout. Throws
/// SpecError, naming argument `at` of kernel `name`, if extents or strides do not fit the layout,
/// the fixed extents or the index type.
void append_mdspan(ArgumentBlock& bytes, const Array& array, const FormalParameter& formal,
                   std::size_t at, const std::string& name);

}  // namespace kernelbatch
