#include "core/case/worker/worker_device.hpp"

#include <utility>

#include "core/case/worker/environment_record.hpp"
#include "core/device/device_list.hpp"

namespace kernelbatch {

void WorkerDevice::close() noexcept {
  checks_.reset();
  tools_.reset();
  device_.reset();
}

void WorkerDevice::use(std::unique_ptr<Device> device, const std::string& selector, bool is_profile,
                       const std::string& checks) {
  auto tools = std::make_unique<TimingTools>(
      *device, is_profile ? TimingTools::Style::kPlain : TimingTools::Style::kShielded);
  auto check_kernels = std::make_unique<CheckKernels>(*device);
  // Done once: it reads /proc and queries every library.
  cpu_ = device_text(list_devices().devices.back());
  environment_ = describe_environment(device->properties(), {}).values;
  tools_ = std::move(tools);
  checks_ = std::move(check_kernels);
  device_ = std::move(device);
  selector_ = selector;
  checked_ = checks;
}

}  // namespace kernelbatch
