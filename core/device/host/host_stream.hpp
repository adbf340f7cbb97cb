// Streams, events and captured work of the host device.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/base/clock.hpp"
#include "core/device/device.hpp"

namespace kernelbatch::host {

/// Work given to capturing streams, in the order of the calls.
struct Capture {
  std::vector<std::function<void()>> steps;
  bool is_open = true;
};

/// Host work is done when the call returns: streams and events only keep the order of calls.
class HostEvent final : public Event {
 public:
  void synchronize() override {}
  double seconds_since(const Event& start) const override;

 private:
  friend class HostStream;
  MeasuringClock::time_point time_{};
  std::shared_ptr<Capture> capture_;  ///< of the stream that recorded it
};

class HostStream final : public Stream {
 public:
  explicit HostStream(Device& device) : device_(device) {}
  Device& device() const noexcept override { return device_; }
  void synchronize() override {}
  void record(Event& event) override;
  void wait(const Event& event) override;
  void begin_capture() override;
  std::unique_ptr<StreamGraph> end_capture() override;

  bool is_capturing() const noexcept { return capture_ != nullptr && capture_->is_open; }
  void keep(std::function<void()> step) { capture_->steps.push_back(std::move(step)); }

 private:
  Device& device_;
  std::shared_ptr<Capture> capture_;  // one for a stream and those that joined it
};

/// The stream if it is capturing; null if work runs immediately.
HostStream* capturing(Stream& stream) noexcept;

}  // namespace kernelbatch::host
