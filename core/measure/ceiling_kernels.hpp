// Kernels that reach a device's maximum compute and cache read rates.
#pragma once

#include <optional>

#include "core/array/array.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// Compiled together on first use; must not outlive a device that they were used on.
class CeilingKernels {
 public:
  enum class Kind { kFloat32, kFloat64, kFloat16, kTensor, kCache };

  /// For this device; compiles nothing yet.
  explicit CeilingKernels(const DeviceProperties& device);

  /// True if the device has such a unit.
  bool has(Kind kind) const noexcept;
  /// Queues one launch. Returns its floating-point operations, where a fused multiply-add counts as
  /// two; for kCache the bytes read.
  double launch(Kind kind, Stream& stream);

 private:
  const DeviceProperties& device_;
  Program program_;
  Array scratch_, cached_;
};

}  // namespace kernelbatch
