// Comparing an output with its reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/base/compare_mode.hpp"

namespace kernelbatch {

/// When is an output right? Filled by the workload, changed by the job.
struct Tolerance {
  CompareMode mode = CompareMode::kAllClose;
  double rtol = 0, atol = 0;
  double max_ulp = 0;
  /// kReduction: the longest chain of roundings in each output's sum, and the sum of the terms'
  /// absolute values; 0 = the terms have one sign, so that this is the output's own modulus. u is
  /// the unit roundoff of the output's dtype.
  double terms = 0, absolute_sum = 0;
  /// A bound for each element in place of one for all: float64 arrays in host memory. With c
  /// columns, row_bounds[k / c] * column_bounds[k % c] replaces absolute_sum of element k
  /// (kReduction) or is added to atol (kAllClose). Both are empty, or only column_bounds: c = 1.
  /// A reduction with them may also lose the smallest number in each rounding.
  Array row_bounds = {}, column_bounds = {};
  std::string reason = {};  ///< why so much and no more; shown by `describe`
};
/// The smallest positive number of a floating dtype (of a complex dtype's parts); 0 of another one.
double smallest_number(DType dtype) noexcept;
/// "rtol=1e-06 atol=0", "exact", "max_ulp=4", "reduction n=1e+08".
std::string to_text(const Tolerance& tolerance);

struct Comparison {
  bool equal = false;
  std::int64_t mismatches = 0;
  /// Over all pairs but those that agree in being NaN or infinite: infinite where one is infinite
  /// and the other is not, NaN where one is NaN and the other is not.
  double max_abs = 0, max_rel = 0, max_ulp = 0, rms = 0;
  std::int64_t first_mismatch = -1;  ///< linear index in C order
  std::string first_text;            ///< "[3, 7]: got 1.5, expected 2.5"
};

/// Outputs are filled with info(dtype).sentinel or, in other calls, with this pattern: a number of
/// every dtype.
inline constexpr std::uint32_t kNumericSentinel = 0xE6E6E6E6;

/// Compares two contiguous host arrays of equal dtype and shape. NaN and infinities must stand
/// where the reference has them; a NaN with the sentinel's bits is no NaN unless the reference has
/// the same bits. Throws SpecError when dtype or shape differ.
Comparison compare(const Array& got, const Array& want, const Tolerance& tolerance);

/// Number of elements of a contiguous host array that still hold a sentinel and differ from the
/// reference: elements that were never written.
std::int64_t count_unwritten(const Array& got, const Array& want);

}  // namespace kernelbatch
