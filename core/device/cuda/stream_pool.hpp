// StreamPool: streams that later users get again.
#pragma once

#include <mutex>
#include <vector>

#include "core/device/cuda/handles.hpp"

namespace kernelbatch::cuda {

/// Kernels take 0.1 µs longer as soon as a process has created a third stream (H200, kernels of
/// 4 µs). The device has one for itself. Must outlive the use of its streams.
class StreamPool {
 public:
  /// The oldest unused stream, or a new one.
  CUstream take();
  /// `is_as_new`: its state is that of a new stream; otherwise it is destroyed.
  void give_back(CUstream stream, bool is_as_new) noexcept;

 private:
  struct Slot {
    StreamHandle stream;
    bool is_free = false;
  };
  std::mutex mutex_;
  std::vector<Slot> slots_;  ///< in the order of creation
};

}  // namespace kernelbatch::cuda
