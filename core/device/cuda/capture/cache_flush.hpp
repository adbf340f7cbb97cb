// CacheFlush: the L2 cache before a captured launch, so that its time has a known state.
#pragma once

#include <cuda.h>

#include <map>

#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

/// Its memory stays allocated until the process ends, as an allocation changes the TLBs.
class CacheFlush {
 public:
  explicit CacheFlush(const LoadedCuda& cuda) : cuda_(cuda) {}

  /// Fills the L2 cache of the current device with clean lines of other memory, and waits. Does
  /// nothing if there is no memory for that.
  void flush();

 private:
  const LoadedCuda& cuda_;
  std::map<CUcontext, CUdeviceptr> memory_;  ///< 0: none could be allocated
};

}  // namespace kernelbatch::capture
