// What all work of one device is timed with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/array/array.hpp"
#include "core/device/device_list.hpp"
#include "core/measure/calibration_kernels.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Made once: it owns device memory of twice the L2
/// cache, from the first flush on.
class TimingTools {
 public:
  /// How the device is asked to work while it is timed. kPlain: nothing but the work, so that a
  /// profiler sees only kernels of the workload.
  enum class Style { kShielded, kPlain };

  TimingTools(Device& device, Style style);

  Device& device() noexcept { return device_; }
  Style style() const noexcept { return style_; }
  Gate& gate() noexcept { return *gate_; }
  /// Why launches cannot be held back on this device; empty where they can.
  const std::string& no_gate() const noexcept { return no_gate_; }
  Telemetry& telemetry() noexcept { return *telemetry_; }
  CalibrationKernels& kernels() noexcept { return kernels_; }
  /// Cold samples of a launch that does nothing, as timed in this process; `again`: anew.
  const Summary& nothing(bool again = false);
  /// Queues writing and then reading twice the L2 cache, of which nothing persists from then on.
  /// Nothing on the host.
  void flush(Stream& stream);
  /// The second part of it. Returns how many launches that is.
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
