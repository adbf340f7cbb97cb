#include "core/case/variant/device_run.hpp"

#include <cmath>

#include "core/base/clock.hpp"

namespace kernelbatch {
namespace {

void add_seconds(double& total, double seconds) {
  total = std::isnan(total) ? seconds : total + seconds;
}

}  // namespace

Stream& DeviceRun::stream(int number) {
  const auto at = static_cast<std::size_t>(number);
  while (streams_.size() <= at) {
    streams_.push_back(setting_.device.make_stream());
    streams_.back()->join_run_of(*streams_.front());
  }
  return *streams_[at];
}

std::vector<Stream*> DeviceRun::streams() const {
  std::vector<Stream*> all;
  for (const auto& each : streams_) all.push_back(each.get());
  return all;
}

void DeviceRun::wait() const {
  for (const auto& each : streams_) each->synchronize();
}

Array DeviceRun::to_device(const Array& host) {
  Array copied;
  if (setting_.budget.stays_on_host(host.bytes())) {
    copied = Array::staged(contiguous(host), setting_.device);
  } else {
    setting_.budget.count(static_cast<double>(host.bytes()));
    Stream& queue = first();
    const auto start = MeasuringClock::now();
    copied = kernelbatch::to_device(host, queue);
    add_seconds(setting_.record.h2d_time, seconds_since(start));
    describe_upload(host, copied);
  }
  if (memory_ != nullptr) memory_->add_upload(host, copied);
  return copied;
}

Array DeviceRun::scratch(DType dtype, const Shape& shape) {
  setting_.budget.count(static_cast<double>(element_count(shape)) *
                        static_cast<double>(size_of(dtype)));
  const Array made = Array::on_device(setting_.device, dtype, shape);
  describe(made, "scratch", ArrayUse::kScratch);
  if (memory_ != nullptr) memory_->add_scratch(made, first());
  return made;
}

void DeviceRun::describe(const Array& array, const std::string& name, ArrayUse use) {
  AccessChecks* const checks = setting_.device.access_checks();
  if (checks == nullptr || array.bytes() == 0) return;
  checks->describe(array.data(), array.bytes(), size_of(array.dtype()), name, use);
}

void DeviceRun::describe_upload(const Array& host, const Array& copied) {
  for (const auto& [name, input] : setting_.inputs)
    if (input.data() == host.data() && input.bytes() == host.bytes())
      return describe(copied, name, ArrayUse::kInput);
  describe(copied, "", ArrayUse::kUpdated);
}

void DeviceRun::describe_outputs() {
  for (const auto& [name, output] : setting_.outputs.named())
    describe(output->array(), name,
             output->has_contents() ? ArrayUse::kUpdated : ArrayUse::kOutput);
}

}  // namespace kernelbatch
