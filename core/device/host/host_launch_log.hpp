// Launches of kernels on the host while they are being listed.
#pragma once

#include <functional>
#include <string>

#include "core/device/launch_log.hpp"

namespace kernelbatch::host {

/// Launches of one device, recorded by its kernels.
class LaunchCalls {
 public:
  /// Runs `work` and lists its launches, each with its duration on the host.
  LaunchList list(const std::function<void()>& work);

  bool is_listing() const noexcept { return list_ != nullptr; }
  /// Adds one, in the order of the calls; only while is_listing().
  void add(const std::string& name, const LaunchShape& shape, double duration);

 private:
  LaunchList* list_ = nullptr;
};

}  // namespace kernelbatch::host
