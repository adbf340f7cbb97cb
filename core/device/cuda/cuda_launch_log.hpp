// The launches that work makes on a GPU: from CUPTI, from a captured graph, or from the calls.
#pragma once

#include <functional>
#include <vector>

#include "core/device/cuda/driver.hpp"
#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// Sets the name of a function that was just looked up; valid until the handle is named again.
void name_function(CUfunction function, const std::string& symbol);

/// Whether this thread's launches are being listed.
bool is_recording() noexcept;
/// Adds a launch that was just queued; only while is_recording().
void record_launch(CUfunction function, const LaunchShape& shape,
                   const DeviceProperties& properties);
/// Adds the kernels of a graph that is about to be launched; only while is_recording().
void record_graph(CUgraph graph, const DeviceProperties& properties);

/// What a device of this backend has besides, for the two ends of the work's interval.
class MarkerOwner {
 public:
  virtual ~MarkerOwner() = default;
  /// A kernel without parameters that does nothing. Throws RunError.
  virtual Kernel& marker() = 0;
};
/// Its text, in PTX, and its entry.
extern const char* const kMarkerText;
extern const char* const kMarkerEntry;

/// Runs `work` once. CUPTI's list where CUPTI is available (KERNELBATCH_CUPTI=0 disables it), with
/// transfers and the work's interval; else the work is captured first, which runs nothing, and the
/// graph's kernels are listed; else the calls that kernelbatch itself makes.
LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work);

}  // namespace kernelbatch::cuda
