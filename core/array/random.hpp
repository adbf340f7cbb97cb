// Random arrays from Philox4x32-10: element k depends only on the seed and k, so the numbers are
// equal on every machine, for any number of threads, and for any length.
//
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// The 128-bit output of Philox4x32-10 for a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept;

/// Draws one set of inputs: seeds are mixed with `shift`, so that the same program produces other
/// numbers of the same kind. 0 changes nothing.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t shift = 0) noexcept : shift_(shift) {}
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;

  /// Host array, uniform in [low, high); for integer dtypes the integers low…high−1.
  Array uniform(DType dtype, const Shape& shape, double low, double high, std::uint64_t seed);
  /// Host array, normal with mean and standard deviation (Box–Muller in float64).
  Array normal(DType dtype, const Shape& shape, double mean, double deviation, std::uint64_t seed);
  /// If the shift is not 0, a copy of a contiguous host array with its rows (or the elements of a
  /// single row or axis) in a random order that depends on the shift; else the array itself. Runs
  /// of rows keep their order, and no row its place.
  Array reordered(const Array& array);

  /// Memory of the arrays drawn so far, whose elements may be in any order.
  const std::vector<const std::byte*>& made() const noexcept { return made_; }
  bool has_made(const Array& array) const noexcept;

 private:
  std::uint64_t shifted(std::uint64_t seed) const noexcept;

  std::uint64_t shift_;
  std::vector<const std::byte*> made_;
};

/// Host array of start, start + step, …
Array arange(DType dtype, const Shape& shape, double start = 0, double step = 1);

}  // namespace kernelbatch
