// A number of any kind, and conversion to array elements.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/array/array.hpp"

namespace kernelbatch {

/// The widest type of each kind: a scalar of a job or of a call before it has a dtype.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;

/// Parses `3`, `1e6`, `0.5`, `true`, `nan`, `1+2j`, `-3j`. Throws SpecError that quotes the text.
Number parse_number(std::string_view text);
std::string to_text(const Number& number);

/// NumPy's dtype for such a number: bool, int64 (uint64 if it is too large), float64, complex128.
DType dtype_of(const Number& number) noexcept;

/// Writes the number as one element of `dtype` and returns true, or returns false if the dtype does
/// not have it.
bool write_if_fits(const Number& number, DType dtype, std::byte* to);
/// Writes the number as one element of `dtype`. Throws SpecError "<number> is out of range for
/// <dtype>" if it does not fit (NaN for an integer, 1e300 for float32), "<number> is not an
/// integer, which <dtype> requires" for a fraction, and for a complex number if a real one is
/// required.
void write_number(const Number& number, DType dtype, std::byte* to);
/// Reads one element.
Number read_number(DType dtype, const std::byte* from);

/// A contiguous host copy converted to another dtype, as by write_number().
Array astype(const Array& array, DType dtype);

}  // namespace kernelbatch
