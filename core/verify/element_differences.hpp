// Differences of two answers, element by element, in sampled places.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/number.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {

/// Fewer elements may agree by chance.
inline constexpr std::int64_t kFewElements = 8;

/// Sampled positions: all, or random ones. Positions where the reference is not finite are left
/// out: tolerances do not apply there, and they would hide errors elsewhere.
std::vector<std::int64_t> places_of(const Array& want);
/// The elements at these places.
Array gathered(const Array& array, const std::vector<std::int64_t>& places);
/// The tolerance for gathered elements.
Tolerance gathered(Tolerance tolerance, const std::vector<std::int64_t>& places);
/// An array of the same form with one value.
Array repeated(const Array& like, const std::byte* element);

inline double distance(double a, double b) { return std::abs(a - b); }
inline double distance(std::complex<double> a, std::complex<double> b) { return std::abs(a - b); }

/// The element as double, or as complex double.
template <class T>
auto widened(T value) {
  if constexpr (ReducedFloat<T>)
    return static_cast<double>(to_float(value));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return std::complex<double>(value);
}

/// Elements that differ by more than `near`, relative to the larger one, and are not both
/// negligible; the first `most` of them.
std::vector<std::int64_t> wrong_places(const Array& other, const Array& want, double near,
                                       double negligible = 0, std::size_t most = SIZE_MAX);
/// True if two answers differ by more than the order of additions explains.
bool are_different(const Array& other, const Array& want);

}  // namespace kernelbatch
