// Kernels that reach what a device can compute at most, and read from its cache.
#pragma once

#include <optional>

#include "core/array/array.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// Compiled together on first use; must not outlive a device that they were used on.
class CeilingKernels {
 public:
  enum class Kind { kFloat32, kFloat64, kFloat16, kTensor, kCache };

  /// For the device; nothing is compiled yet.
  explicit CeilingKernels(const DeviceProperties& device);

  /// Whether the device has such a unit.
  bool has(Kind kind) const noexcept;
  /// Queues one launch. Returns its floating-point operations, a fused multiply-add counting two;
  /// of kCache the bytes read.
  double launch(Kind kind, Stream& stream);

 private:
  const DeviceProperties& device_;
  Program program_;
  Array scratch_, cached_;
};

}  // namespace kernelbatch
