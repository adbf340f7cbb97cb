// CudaEvent: an event of the driver.
#pragma once

#include "core/device/cuda/handles.hpp"
#include "core/device/device.hpp"

namespace kernelbatch::cuda {

class CudaEvent final : public Event {
 public:
  CudaEvent() {
    CUevent event = nullptr;
    check(driver().cuEventCreate_(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    handle_ = EventHandle{event};
  }
  void synchronize() override {
    check(driver().cuEventSynchronize_(handle_.get()), "waiting for an event");
  }
  bool is_done() override {
    const CUresult result = driver().cuEventQuery_(handle_.get());
    if (result == CUDA_ERROR_NOT_READY) return false;
    check(result, "asking for an event");
    return true;
  }
  double seconds_since(const Event& start) const override {
    float milliseconds = 0;
    check(driver().cuEventElapsedTime_(
              &milliseconds, static_cast<const CudaEvent&>(start).handle_.get(), handle_.get()),
          "cuEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }
  CUevent handle() const noexcept { return handle_.get(); }

 private:
  EventHandle handle_;
};

}  // namespace kernelbatch::cuda
