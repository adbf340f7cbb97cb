// Kernels of known cost for the harness, which knows no plugin's kernels.
#pragma once

#include "core/array/array.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/program/program.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// Created by the generators of users' kernels, so that users' kernels can reach the same rates.
/// Arrays are int64 and contiguous. Compiled on first use; must not outlive a device that it was
/// used on.
class CalibrationKernels {
 public:
  CalibrationKernels();

  /// One empty launch.
  void nothing(Stream& stream);
  /// Reads all of `from` and writes all of `to`.
  void copy(Stream& stream, const Array& from, const Array& to) const;
  /// Reads all of `from`; its sum is written to `sum`, of shape {}.
  void read(Stream& stream, const Array& from, const Array& sum) const;
  /// Reads all of `from` past a GPU's L1 caches, so that its lines displace those of others in the
  /// L2 cache, also lines that are to be evicted last; from then on they are like any others. The
  /// value written to `sum` is meaningless. Returns the number of launches.
  std::size_t displace(Stream& stream, const Array& from, const Array& sum);

 private:
  Program nothing_, displace_;
  ElementwiseKernel copy_;
  ReductionKernel read_;
};

}  // namespace kernelbatch
