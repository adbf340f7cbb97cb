// Kernels of known cost, for the harness, which knows plugins but not kernels.
#pragma once

#include "core/array/array.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/program/program.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// Made by the generators that make users' kernels, so that what they reach can be reached. Arrays
/// are int64 and contiguous. Compiled on first use; must not outlive a device that it was used on.
class CalibrationKernels {
 public:
  CalibrationKernels();

  /// One launch that does nothing.
  void nothing(Stream& stream);
  /// Reads all of `from` and writes all of `to`.
  void copy(Stream& stream, const Array& from, const Array& to) const;
  /// Reads all of `from`; its sum is written to `sum`, of shape {}.
  void read(Stream& stream, const Array& from, const Array& sum) const;
  /// The same in one launch of a kernel for GPUs, which leaves the L1 caches out. What it writes to
  /// `sum` means nothing.
  void read_past_first_level(Stream& stream, const Array& from, const Array& sum);

 private:
  Program nothing_, read_past_first_level_;
  ElementwiseKernel copy_;
  ReductionKernel read_;
};

}  // namespace kernelbatch
