// Devices that a worker keeps open between requests.
#pragma once

#include <memory>
#include <string>

#include "core/device/device.hpp"
#include "core/job/spec.hpp"
#include "core/measure/timing_tools.hpp"
#include "core/verify/check_kernels.hpp"

namespace kernelbatch {

/// A device with the tools that cases need.
class WorkerDevice {
 public:
  /// True if this device is open. `checks`: those of an access checker; empty: none.
  bool is_open(const std::string& selector, const std::string& checks) const {
    return device_ && selector == selector_ && checks == checked_;
  }
  void close() noexcept;
  /// Makes the tools for a device. Throws CompileError and others.
  void use(std::unique_ptr<Device> device, const std::string& selector, bool is_profile,
           const std::string& checks);

  // Precondition: it is open.
  Device& device() const noexcept { return *device_; }
  TimingTools& tools() const noexcept { return *tools_; }
  CheckKernels& checks() const noexcept { return *checks_; }
  /// CPU of references, as text for results.
  const std::string& cpu() const noexcept { return cpu_; }
  const NamedValues& environment() const noexcept { return environment_; }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<TimingTools> tools_;
  std::unique_ptr<CheckKernels> checks_;  // after the device, which it uses
  std::string selector_, checked_, cpu_;
  NamedValues environment_;
};

/// A device that only compiles.
class CompileTarget {
 public:
  /// True if it compiles for `target`: "sm_90".
  bool is_open(const std::string& target) const { return device_ && target == name_; }
  void use(std::unique_ptr<Device> device, const std::string& target) {
    device_ = std::move(device);
    name_ = target;
  }
  Device& device() const noexcept { return *device_; }  ///< precondition: it is open

 private:
  std::unique_ptr<Device> device_;
  std::string name_;
};

}  // namespace kernelbatch
