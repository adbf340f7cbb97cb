#include "core/device/host/host_stream.hpp"

#include "core/base/error.hpp"

namespace kernelbatch::host {
namespace {

class HostGraph final : public StreamGraph {
 public:
  explicit HostGraph(std::vector<std::function<void()>> steps) : steps_(std::move(steps)) {}
  void launch(Stream&) override {
    for (const auto& step : steps_) step();
  }

 private:
  std::vector<std::function<void()>> steps_;
};

}  // namespace

double HostEvent::seconds_since(const Event& start) const {
  return std::chrono::duration<double>(time_ - static_cast<const HostEvent&>(start).time_).count();
}

void HostStream::record(Event& event) {
  auto& mark = static_cast<HostEvent&>(event);
  mark.time_ = MeasuringClock::now();
  mark.capture_ = is_capturing() ? capture_ : nullptr;
}

void HostStream::wait(const Event& event) {
  const auto& mark = static_cast<const HostEvent&>(event);
  if (mark.capture_ != nullptr && mark.capture_->is_open) capture_ = mark.capture_;
}

void HostStream::begin_capture() {
  if (is_capturing()) throw RunError("the stream is capturing already");
  capture_ = std::make_shared<Capture>();
}

std::unique_ptr<StreamGraph> HostStream::end_capture() {
  if (!is_capturing()) throw RunError("the stream is not capturing");
  capture_->is_open = false;
  return std::make_unique<HostGraph>(std::move(capture_->steps));
}

HostStream* capturing(Stream& stream) noexcept {
  auto* own = dynamic_cast<HostStream*>(&stream);
  return own != nullptr && own->is_capturing() ? own : nullptr;
}

}  // namespace kernelbatch::host
