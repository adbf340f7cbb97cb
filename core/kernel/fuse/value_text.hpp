// Text of values in kernels: constants and casts.
#pragma once

#include <string>

#include "core/kernel/fuse/promotion.hpp"

namespace kernelbatch {

/// The dtype's name inside kernels.
std::string c_name(DType dtype);
/// Casts `text` from dtype `from` to `to`.
std::string cast(const std::string& text, DType from, DType to);
/// A constant as text of dtype `as`.
std::string constant_value(const Constant& constant, DType as);
/// The unsigned dtype for wrapping arithmetic; its low bits equal those of signed results.
DType wrapping_of(DType dtype) noexcept;
/// Initial value of a maximum, and of a minimum; for real dtypes.
std::string least_value(DType dtype);
std::string largest_value(DType dtype);

}  // namespace kernelbatch
