// Launching kernels through the driver.
#pragma once

#include <memory>
#include <string>

#include "core/device/cuda/cuda_launch_log.hpp"
#include "core/device/cuda/handles.hpp"
#include "core/device/cuda/stream_pool.hpp"
#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// The stream type of this backend, for the launch path.
class CudaStream final : public Stream {
 public:
  CudaStream(Device& device, LaunchCalls& calls, StreamPool& pool)
      : device_(device), calls_(calls), pool_(pool), handle_(pool.take()) {}
  ~CudaStream() override { pool_.give_back(handle_, !was_given_out_ && !is_capturing_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  Device& device() const noexcept override { return device_; }
  void synchronize() override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void begin_capture() override;
  std::unique_ptr<StreamGraph> end_capture() override;
  void* native() const noexcept override {
    was_given_out_ = true;
    return handle_;
  }
  CUstream handle() const noexcept { return handle_; }

 private:
  Device& device_;
  LaunchCalls& calls_;  // to which graphs write
  StreamPool& pool_;
  const CUstream handle_;
  mutable bool was_given_out_ = false;  // its attributes may have changed
  bool is_capturing_ = false;
};

/// A kernel of a loaded module. `properties` and `calls`, to which it writes, must outlive it.
std::unique_ptr<Kernel> make_kernel(CUfunction function, std::string name,
                                    const DeviceProperties& properties, LaunchCalls& calls);

}  // namespace kernelbatch::cuda
