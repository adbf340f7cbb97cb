// The launches that work makes on a GPU: from CUPTI, from a captured graph, or from the calls.
#pragma once

#include <functional>
#include <vector>

#include "core/device/cuda/driver.hpp"
#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// Sets the name of a function that was just looked up; valid until the handle is named again.
void name_function(CUfunction function, const std::string& symbol);

/// The launches that kernelbatch itself makes on one device, while somebody lists them.
class LaunchCalls {
 public:
  /// The properties must outlive this.
  explicit LaunchCalls(const DeviceProperties& properties) : properties_(properties) {}

  /// Runs `work` and lists what it launches.
  std::vector<Launch> list(const std::function<void()>& work);

  bool is_listing() const noexcept { return launches_ != nullptr; }
  /// Adds a launch that was just queued; only while is_listing().
  void add(CUfunction function, const LaunchShape& shape);
  /// Adds the kernels of a graph that is about to be launched; only while is_listing().
  void add(CUgraph graph);

 private:
  const DeviceProperties& properties_;
  std::vector<Launch>* launches_ = nullptr;
};

/// What a device of this backend has besides, for lists of launches.
class LaunchSource {
 public:
  virtual ~LaunchSource() = default;
  virtual LaunchCalls& calls() noexcept = 0;
  /// A kernel without parameters that does nothing, for the two ends of the work's interval. Throws
  /// RunError.
  virtual Kernel& marker() = 0;
};
/// The marker's text, in PTX, and its entry.
extern const char* const kMarkerText;
extern const char* const kMarkerEntry;

/// Runs `work` once. CUPTI's list where CUPTI is available (KERNELBATCH_CUPTI=0 disables it), with
/// transfers and the work's interval; else the work is captured first, which runs nothing, and the
/// graph's kernels are listed; else the calls that kernelbatch itself makes.
LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work);

}  // namespace kernelbatch::cuda
