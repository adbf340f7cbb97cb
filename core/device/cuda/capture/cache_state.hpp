// CacheState: the L2 cache before a timed launch, so that its time has a known state.
#pragma once

#include <cuda.h>

#include <map>
#include <span>

#include "core/device/cuda/capture/driver_calls.hpp"
#include "core/device/cuda/capture/kernel_times.hpp"
#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

/// Its memory stays allocated until the process ends, as an allocation changes the TLBs.
class CacheState {
 public:
  explicit CacheState(const LoadedCuda& cuda) : cuda_(cuda) {}

  /// Fills the L2 cache of the current device with clean lines of other memory; for a warm state it
  /// then reads `ranges`. Waits. Does nothing if there is no memory for that.
  void prepare(CacheUse use, std::span<const Range> ranges);

 private:
  struct Tools {
    Range memory = {};  ///< twice the L2 cache; empty if there is no memory
    CUfunction reader = nullptr;
  };
  Tools make_tools() const;
  void read(const Tools& tools, const Range& range) const;

  const LoadedCuda& cuda_;
  std::map<CUcontext, Tools> tools_;
};

}  // namespace kernelbatch::capture
