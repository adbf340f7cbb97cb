#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

TimingTools::TimingTools(Device& device, Style style)
    : device_(device), style_(style), telemetry_(open_telemetry(device.properties())) {
  if (style == Style::kPlain) {
    gate_ = std::make_unique<Gate>();
    no_gate_ = "the run is for a profiler";
    return;
  }
  try {
    gate_ = make_gate(device);
  } catch (const std::exception& error) {
    gate_ = std::make_unique<Gate>();
    no_gate_ = error.what();
  }
}

void TimingTools::flush(Stream& stream) {
  const DeviceProperties& properties = device_.properties();
  if (properties.kind == DeviceKind::kHost || properties.l2 == 0) return;
  if (memory_.size() == 0) {
    const auto elements = static_cast<std::int64_t>(2 * properties.l2 / sizeof(std::int64_t));
    memory_ = Array::on_device(device_, DType::kInt64, {elements});
    sum_ = Array::on_device(device_, DType::kInt64, {});
  }
  // Lines that a variant marked as persisting would stay through what follows.
  device_.reset_persisting_cache();
  device_.fill(memory_.data(), pattern_++, memory_.bytes(), stream);
  // Reading leaves the cache full of clean lines: nothing is written back in the timed region.
  kernels_.read(stream, memory_, sum_);
}

}  // namespace kernelbatch
