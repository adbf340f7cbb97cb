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

/// Host array, uniform in [low, high); for integer dtypes the integers low…high−1.
Array random_uniform(DType dtype, const Shape& shape, double low, double high, std::uint64_t seed);
/// Host array, normal with mean and standard deviation (Box–Muller in float64).
Array random_normal(DType dtype, const Shape& shape, double mean, double deviation,
                    std::uint64_t seed);
/// During its lifetime, seeds that this thread passes to the functions above are mixed with
/// `shift`: the same program then produces other numbers of the same kind. 0 changes nothing. One
/// at a time.
class SeedShift {
 public:
  explicit SeedShift(std::uint64_t shift) noexcept;
  ~SeedShift();
  SeedShift(const SeedShift&) = delete;
  SeedShift& operator=(const SeedShift&) = delete;

  /// Memory of the arrays created meanwhile.
  const std::vector<const std::byte*>& made() const noexcept { return made_; }
  /// True if the thread's shift, if any, has created this array.
  static bool has_made(const Array& array) noexcept;

 private:
  friend Array random_uniform(DType, const Shape&, double, double, std::uint64_t);
  friend Array random_normal(DType, const Shape&, double, double, std::uint64_t);
  friend Array reordered(const Array&);
  static std::uint64_t shifted(std::uint64_t seed) noexcept;
  static void note(const Array& array);

  std::uint64_t shift_;
  std::vector<const std::byte*> made_;
};

/// During the lifetime of a nonzero SeedShift, a copy of a contiguous host array with its rows (or
/// the elements of a single row or axis) in a random order that depends on the shift; else the
/// array itself. Runs of rows keep their order, and no row its place.
Array reordered(const Array& array);

/// Host array of start, start + step, …
Array arange(DType dtype, const Shape& shape, double start = 0, double step = 1);

}  // namespace kernelbatch
