// NumPy's dtype rules: what two operands become, and what functions give.
#pragma once

#include <complex>
#include <variant>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// Wide enough for what two integers of 64 bits give.
__extension__ typedef __int128 WideInteger;

/// A number written in an expression. It is weak: it takes the dtype of the array beside it where
/// that can hold its kind (NumPy 2, NEP 50).
using Constant = std::variant<bool, WideInteger, double, std::complex<double>>;

bool is_integer(DType dtype) noexcept;  ///< or bool
/// Whether `value` is one of an integer dtype's.
bool in_range(DType dtype, WideInteger value) noexcept;

/// The smallest dtype that both are cast to without losing range: int8 with uint8 is int16, int64
/// with uint64 float64, float16 with bfloat16 float32.
DType promote(DType a, DType b) noexcept;
/// An array's dtype with a weak constant: float64 for an integer array with 0.5.
DType promote(DType a, const Constant& constant) noexcept;
/// The dtype of a constant by itself: bool, int64 (uint64 where it is larger), float64, complex128.
DType dtype_of(const Constant& constant) noexcept;

/// What sin and its like give: float16 for 8-bit integers, float32 for 16-bit ones, float64 for
/// larger.
DType floating_of(DType dtype) noexcept;
/// What sum and prod give: int64 or uint64 for smaller integers and bool.
DType sum_of(DType dtype) noexcept;
/// The type that a reduction computes in: float32 for 16-bit floats.
DType accumulator_of(DType dtype) noexcept;
/// Of the real parts: float32 for complex64; the dtype itself for others.
DType real_of(DType dtype) noexcept;

}  // namespace kernelbatch
