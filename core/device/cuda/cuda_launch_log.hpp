// The launches of a piece of work on a GPU: from CUPTI, from a captured graph, or from the calls.
#pragma once

#include <functional>
#include <vector>

#include "core/device/cuda/driver.hpp"
#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// Sets the name of a function that was just looked up; valid until the handle is named again.
void name_function(CUfunction function, const std::string& symbol);

/// The launches that kernelbatch itself makes on one device while they are being listed.
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

/// Additional functions of a device of this backend, for launch lists.
class LaunchSource {
 public:
  virtual ~LaunchSource() = default;
  virtual LaunchCalls& calls() noexcept = 0;
  /// A kernel without parameters that does nothing; marks both ends of the work's interval. Throws
  /// RunError.
  virtual Kernel& marker() = 0;
};
/// The marker's text, in PTX, and its entry.
extern const char* const kMarkerText;
extern const char* const kMarkerEntry;

/// Runs `work` once. If CUPTI is available (KERNELBATCH_CUPTI=0 disables it), returns CUPTI's list,
/// with transfers and the work's interval. Otherwise captures the work first, which runs nothing,
/// and lists the graph's kernels; if that fails, lists kernelbatch's own launch calls.
LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work);

}  // namespace kernelbatch::cuda
