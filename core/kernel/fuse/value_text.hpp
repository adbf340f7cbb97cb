// Text of values in kernels: constants, casts between dtypes.
#pragma once

#include <string>

#include "core/kernel/fuse/promotion.hpp"

namespace kernelbatch {

/// The dtype's name inside kernels.
std::string c_name(DType dtype);
/// `text`, of dtype `from`, as `to`.
std::string cast(const std::string& text, DType from, DType to);
/// A number as `as`.
std::string constant_value(const Constant& constant, DType as);
/// Unsigned arithmetic wraps, and its low bits are those of signed numbers.
DType wrapping_of(DType dtype) noexcept;
/// What a maximum starts with, and a minimum; of real dtypes.
std::string least_value(DType dtype);
std::string largest_value(DType dtype);

}  // namespace kernelbatch
