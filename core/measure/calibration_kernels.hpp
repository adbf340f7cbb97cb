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

 private:
  Program nothing_;
  ElementwiseKernel copy_;
  ReductionKernel read_;
};

}  // namespace kernelbatch
