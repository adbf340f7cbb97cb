#include "core/device/cuda/telemetry.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/device/cuda/nvml.hpp"

namespace kernelbatch::cuda {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class NvmlTelemetry final : public Telemetry {
 public:
  explicit NvmlTelemetry(const DeviceProperties& properties) {
    const NvmlState& state = nvml_state();
    if (!state.reason.empty()) {
      absence_ = state.reason;
      return;
    }
    nvml_ = &state.functions;
    std::string reason;
    if (!ask(*nvml_, nvml_->by_uuid, &reason, properties.uuid.c_str(), &device_) &&
        !ask(*nvml_, nvml_->by_pci, &reason, properties.pci.c_str(), &device_)) {
      device_ = nullptr;
      absence_ = fmt::format("NVML does not give the device ({})", reason);
      return;
    }
    bool is_slice = !properties.mig_profile.empty();
    unsigned flag = 0;
    if (ask(*nvml_, nvml_->is_slice, nullptr, device_, &flag) && flag != 0) {
      is_slice = true;
      NvmlDevice* whole = nullptr;
      if (ask(*nvml_, nvml_->parent, nullptr, device_, &whole)) device_ = whole;
    }
    absence_ = missing();
    if (is_slice)
      absence_ += (absence_.empty() ? "" : "; ") +
                  std::string("power, energy and temperature are those of the whole GPU");
  }

  TelemetryReading read() override {
    TelemetryReading reading{kUnknown, kUnknown, kUnknown, kUnknown, false, false, ""};
    if (device_ == nullptr) return reading;
    unsigned value = 0;
    unsigned long long wide = 0;
    if (has_clock_ && ask(*nvml_, nvml_->clock, nullptr, device_, kNvmlClockSm, &value))
      reading.sm_clock = 1e6 * value;
    if (has_power_ && ask(*nvml_, nvml_->power, nullptr, device_, &value))
      reading.power = 1e-3 * value;
    if (has_energy_ && ask(*nvml_, nvml_->energy, nullptr, device_, &wide))
      reading.energy = 1e-3 * static_cast<double>(wide);
    if (has_temperature_ &&
        ask(*nvml_, nvml_->temperature, nullptr, device_, kNvmlTemperatureGpu, &value))
      reading.temperature = value;
    if (has_reasons_ && ask(*nvml_, nvml_->reasons, nullptr, device_, &wide))
      explain(wide, reading);
    return reading;
  }

  const std::string& absence() const override { return absence_; }

 private:
  static void explain(unsigned long long bits, TelemetryReading& reading) {
    constexpr std::pair<unsigned long long, const char*> kSlowdowns[] = {
        {kNvmlHwThermal | kNvmlSwThermal, "heat"},
        {kNvmlHwPowerBrake, "power brake"},
        {kNvmlHwSlowdown, "hardware slowdown"}};
    reading.is_power_capped = (bits & kNvmlSwPowerCap) != 0;
    for (const auto& [mask, text] : kSlowdowns)
      if (reading.throttle_reason.empty() && (bits & mask) != 0) reading.throttle_reason = text;
    reading.is_throttled = !reading.throttle_reason.empty();
  }

  /// Reads everything once; a quantity that fails is not read again.
  std::string missing() {
    std::vector<std::string> refused;
    const auto note = [&](const char* what, bool& has, auto* function, auto... arguments) {
      std::string reason;
      has = ask(*nvml_, function, &reason, device_, arguments...);
      if (!has) refused.push_back(fmt::format("{} ({})", what, reason));
    };
    unsigned value = 0;
    unsigned long long wide = 0;
    note("clock", has_clock_, nvml_->clock, kNvmlClockSm, &value);
    note("power", has_power_, nvml_->power, &value);
    note("energy", has_energy_, nvml_->energy, &wide);
    note("temperature", has_temperature_, nvml_->temperature, kNvmlTemperatureGpu, &value);
    note("throttle reasons", has_reasons_, nvml_->reasons, &wide);
    return refused.empty() ? "" : "NVML gives no " + join(refused);
  }

  const Nvml* nvml_ = nullptr;
  NvmlDevice* device_ = nullptr;
  bool has_clock_ = false, has_power_ = false, has_energy_ = false, has_temperature_ = false,
       has_reasons_ = false;
  std::string absence_;
};

}  // namespace

std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties) {
  return std::make_unique<NvmlTelemetry>(properties);
}

}  // namespace kernelbatch::cuda
