// Tools for timing work on one device.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/array/array.hpp"
#include "core/device/device_list.hpp"
#include "core/measure/calibration_kernels.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Created once: after the first flush it owns device memory of twice the size of the L2 cache.
class TimingTools {
 public:
  /// How the device runs the timed work. kPlain: only the work, so that a profiler sees only the
  /// workload's kernels.
  enum class Style { kShielded, kPlain };

  TimingTools(Device& device, Style style);

  Device& device() noexcept { return device_; }
  Style style() const noexcept { return style_; }
  Gate& gate() noexcept { return *gate_; }
  /// Why launches cannot be held back on this device; empty if they can.
  const std::string& no_gate() const noexcept { return no_gate_; }
  Telemetry& telemetry() noexcept { return *telemetry_; }
  CalibrationKernels& kernels() noexcept { return kernels_; }
  /// Cold samples of an empty launch on the stream, timed in this process; `again`: repeat the
  /// measurement.
  const Summary& nothing(Stream& stream, bool again = false);
  /// Queues writing and then reading twice the size of the L2 cache: no line of earlier work stays,
  /// not even one to be evicted last, and no part of the cache is set aside. Does nothing on the
  /// host.
  void flush(Stream& stream);
  /// The second part of it. Returns the number of launches.
  std::size_t read_flushed(Stream& stream);

 private:
  Device& device_;
  Style style_;
  std::unique_ptr<Gate> gate_;
  std::string no_gate_;
  std::unique_ptr<Telemetry> telemetry_;
  CalibrationKernels kernels_;
  Array memory_, sum_;
  std::uint32_t pattern_ = 0;
  std::optional<Summary> nothing_;
};

}  // namespace kernelbatch
