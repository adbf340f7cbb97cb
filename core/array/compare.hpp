// Compares an output with its reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/base/compare_mode.hpp"

namespace kernelbatch {

/// Tolerance of an output. Set by the workload, changed by the job.
struct Tolerance {
  CompareMode mode = CompareMode::kAllClose;
  double rtol = 0, atol = 0;
  double max_ulp = 0;
  /// kReduction: the longest chain of roundings in each output's sum, and the sum of the terms'
  /// absolute values; 0 = the terms have one sign, so that it is the output's own modulus. u is the
  /// unit roundoff of the output's dtype.
  double terms = 0, absolute_sum = 0;
  /// Bounds per element instead of a common one: float64 arrays in host memory. With c columns,
  /// row_bounds[k / c] * column_bounds[k % c] replaces absolute_sum of element k (kReduction) or is
  /// added to atol (kAllClose). Both are empty, or only column_bounds: c = 1. A reduction with them
  /// may also lose the smallest number in each rounding.
  Array row_bounds = {}, column_bounds = {};
  std::string reason = {};  ///< justification of the tolerance; shown by `describe`
};
/// The smallest positive number of a floating dtype (of a complex dtype's parts); 0 for other
/// dtypes.
double smallest_number(DType dtype) noexcept;
/// "rtol=1e-06 atol=0", "exact", "max_ulp=4", "reduction n=1e+08".
std::string to_text(const Tolerance& tolerance);

struct Comparison {
  bool equal = false;
  std::int64_t mismatches = 0;
  /// Over all pairs except those that are both NaN or both infinite: infinite if only one is
  /// infinite, NaN if only one is NaN.
  double max_abs = 0, max_rel = 0, max_ulp = 0, rms = 0;
  /// Largest ratio of a wrong element's error to what the tolerance allows there; 0 if none is
  /// wrong, or one without a finite ratio.
  double times_tolerance = 0;
  std::int64_t first_mismatch = -1;  ///< linear index in C order
  std::string first_text;            ///< "[3, 7]: got 1.5, expected 2.5"
};

/// Outputs are filled with info(dtype).sentinel or, in other calls, with this pattern: a number of
/// every dtype.
inline constexpr std::uint32_t kNumericSentinel = 0xE6E6E6E6;

/// Compares two contiguous host arrays of equal dtype and shape. NaN and infinities must be at the
/// same positions as in the reference; a NaN with the sentinel's bits counts as unwritten unless
/// the reference has the same bits. Throws SpecError if dtype or shape differ.
Comparison compare(const Array& got, const Array& want, const Tolerance& tolerance);

/// Number of elements of a contiguous host array that still contain a sentinel and differ from the
/// reference: unwritten elements.
std::int64_t count_unwritten(const Array& got, const Array& want);

}  // namespace kernelbatch
