// Memory of the captured program, through its driver.
#pragma once

#include "core/device/cuda/capture/driver_calls.hpp"
#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

class ProgramMemory final : public DriverCalls {
 public:
  explicit ProgramMemory(const LoadedCuda& cuda) : cuda_(cuda) {}

  bool synchronize() override;
  std::optional<Range> allocation_at(std::uint64_t address) override;
  bool read(void* to, std::uint64_t from, std::size_t bytes) override;

 private:
  const LoadedCuda& cuda_;
};

/// While it lives, a stream capture of this thread does not forbid calls.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const LoadedCuda& cuda) : cuda_(cuda) {
    cuda_.cuThreadExchangeStreamCaptureMode_(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { cuda_.cuThreadExchangeStreamCaptureMode_(&mode_); }

 private:
  const LoadedCuda& cuda_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace kernelbatch::capture
