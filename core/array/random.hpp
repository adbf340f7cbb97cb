// Random arrays from Philox4x32-10: element k depends on the seed and k alone, so the numbers are
// the same on every machine, for any number of threads, and for any length.
//
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11.
#pragma once

#include <array>
#include <cstdint>

#include "core/array/array.hpp"

namespace kernelbatch {

/// The 128-bit output of Philox4x32-10 for a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept;

/// Host arrays. Uniform in [low, high); for integer dtypes the integers low…high−1.
Array random_uniform(DType dtype, const Shape& shape, double low, double high, std::uint64_t seed);
/// Normal with mean and standard deviation (Box–Muller in float64).
Array random_normal(DType dtype, const Shape& shape, double mean, double deviation,
                    std::uint64_t seed);
/// start, start + step, …
Array arange(DType dtype, const Shape& shape, double start = 0, double step = 1);

}  // namespace kernelbatch
