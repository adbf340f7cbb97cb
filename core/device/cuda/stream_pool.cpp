#include "core/device/cuda/stream_pool.hpp"

#include <algorithm>

namespace kernelbatch::cuda {

CUstream StreamPool::take() {
  const std::lock_guard lock(mutex_);
  auto slot = std::ranges::find(slots_, true, &Slot::is_free);
  if (slot == slots_.end()) {
    CUstream created = nullptr;
    check(driver().cuStreamCreate_(&created, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    slot = slots_.insert(slots_.end(), Slot{StreamHandle{created}});
  }
  slot->is_free = false;
  return slot->stream.get();
}

void StreamPool::give_back(CUstream stream, bool is_as_new) noexcept {
  const std::lock_guard lock(mutex_);
  const auto slot = std::ranges::find_if(
      slots_, [stream](const Slot& each) { return each.stream.get() == stream; });
  if (slot == slots_.end()) return;
  if (is_as_new)
    slot->is_free = true;
  else
    slots_.erase(slot);
}

}  // namespace kernelbatch::cuda
