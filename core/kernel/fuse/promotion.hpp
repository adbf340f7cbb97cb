// NumPy's dtype rules: promotion of operands, and result types of functions.
#pragma once

#include <complex>
#include <variant>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// Wide enough for results of two 64-bit integers.
__extension__ typedef __int128 WideInteger;

/// A number in an expression. It is weak: it takes the dtype of the other operand, an array, if
/// that can represent its kind (NumPy 2, NEP 50).
using Constant = std::variant<bool, WideInteger, double, std::complex<double>>;

bool is_integer(DType dtype) noexcept;  ///< or bool
/// True if `value` is within the range of an integer dtype.
bool in_range(DType dtype, WideInteger value) noexcept;

/// The smallest dtype to which both can be cast without losing range: int8 with uint8 is int16,
/// int64 with uint64 float64, float16 with bfloat16 float32.
DType promote(DType a, DType b) noexcept;
/// An array's dtype with a weak constant: float64 for an integer array with 0.5.
DType promote(DType a, const Constant& constant) noexcept;
/// The dtype of a constant by itself: bool, int64 (uint64 if larger), float64, complex128.
DType dtype_of(const Constant& constant) noexcept;

/// Result dtype of sin and similar functions: float16 for 8-bit integers, float32 for 16-bit ones,
/// float64 for larger ones.
DType floating_of(DType dtype) noexcept;
/// Result dtype of sum and prod: int64 or uint64 for smaller integers and bool.
DType sum_of(DType dtype) noexcept;
/// The dtype in which a reduction computes: float32 for 16-bit floats.
DType accumulator_of(DType dtype) noexcept;
/// The dtype of the real parts: float32 for complex64; the dtype itself for others.
DType real_of(DType dtype) noexcept;

}  // namespace kernelbatch
