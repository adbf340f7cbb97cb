// The launches of kernels on the host while somebody lists them.
#pragma once

#include <functional>
#include <string>

#include "core/device/launch_log.hpp"

namespace kernelbatch::host {

/// Of one device, whose kernels write to it.
class LaunchCalls {
 public:
  /// Runs `work` and lists what it launches, each with the time that the host took for it.
  LaunchList list(const std::function<void()>& work);

  bool is_listing() const noexcept { return list_ != nullptr; }
  /// Adds one, in the order of the calls; only while is_listing().
  void add(const std::string& name, const LaunchShape& shape, double duration);

 private:
  LaunchList* list_ = nullptr;
};

}  // namespace kernelbatch::host
