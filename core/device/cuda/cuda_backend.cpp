#include "core/device/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/device/cuda/code/cubin.hpp"
#include "core/device/cuda/compile/nvrtc_compiler.hpp"
#include "core/device/cuda/cuda_device.hpp"
#include "core/device/cuda/cuda_gate.hpp"
#include "core/device/cuda/cuda_launch_log.hpp"
#include "core/device/cuda/cupti/range_profiler.hpp"
#include "core/device/cuda/profiler.hpp"
#include "core/device/cuda/selector.hpp"
#include "core/device/cuda/target.hpp"
#include "core/device/cuda/telemetry.hpp"
#include "core/device/cuda/tools.hpp"
#include "core/device/cuda/visible.hpp"

namespace kernelbatch::cuda {
namespace {

void add_gpus(DeviceList& list) {
  Visible visible = visible_devices();
  std::ranges::move(visible.devices, std::back_inserter(list.devices));
  std::ranges::move(visible.hidden, std::back_inserter(list.hidden));
  list.cuda_reason = std::move(visible.reason);
  list.cuda_driver = std::move(visible.driver);
  list.unknown = std::move(visible.unknown);
  list.nvrtc = nvrtc_description();
}

/// The device whose UUID starts with `uuid`, if it is the only one.
const DeviceProperties* find_gpu(const std::vector<DeviceProperties>& devices,
                                 std::string_view uuid) {
  const DeviceProperties* found = nullptr;
  for (const DeviceProperties& device : devices) {
    if (!device.uuid.starts_with(uuid)) continue;
    if (found != nullptr) return nullptr;
    found = &device;
  }
  return found;
}

DeviceChoice choose_gpu(std::string_view selector) {
  if (is_slice(selector))
    if (std::string uuid = choose_slice(selector); !uuid.empty())
      return {.selector = std::move(uuid), .is_gpu = true};
  const Visible visible = visible_devices();
  if (visible.devices.empty()) return {.note = visible.reason};
  int ordinal = ordinal_in(selector).value_or(0);
  if (is_uuid(selector)) {
    const DeviceProperties* const found = find_gpu(visible.devices, selector);
    if (found == nullptr)
      throw DeviceError(fmt::format("device '{}' cannot be used: {}", selector,
                                    why_not_visible(selector, visible)));
    ordinal = found->ordinal;
  }
  if (std::cmp_greater_equal(ordinal, visible.devices.size()))
    throw DeviceError(fmt::format("device '{}' is not there: {} GPU(s) visible, cuda:0 to cuda:{}",
                                  selector, visible.devices.size(), visible.devices.size() - 1));
  return {.selector = visible.devices[static_cast<std::size_t>(ordinal)].selector, .is_gpu = true};
}

/// `selector` is one that choose_gpu() returned.
int ordinal_of(const std::string& selector) {
  return is_slice(selector) ? ordinal_of_slice(selector) : ordinal_in(selector).value_or(0);
}

DeviceProperties gpu_properties(const std::string& selector) {
  const auto ordinal = static_cast<std::size_t>(ordinal_of(selector));
  Visible visible = visible_devices();
  if (ordinal >= visible.devices.size())
    throw DeviceError(fmt::format("device '{}' is not there any more", selector));
  return std::move(visible.devices[ordinal]);
}

std::unique_ptr<Device> open_gpu(const std::string& selector) { return open(ordinal_of(selector)); }

}  // namespace

constexpr Backend kBackend{
    .name = kName,
    .selector_forms = kSelectorForms,
    .is_selector = is_selector,
    .list = add_gpus,
    .choose = choose_gpu,
    .granted = granted_devices,
    .properties = gpu_properties,
    .open = open_gpu,
    .open_part = [](const std::string& selector,
                    int units) { return open(ordinal_of(selector), {.units = units}); },
    .open_checked =
        [](const std::string& selector, const CheckKinds&) {
          return open(ordinal_of(selector), {.is_checked = true});
        },
    .target_form = kTargetForm,
    .is_target = is_target,
    .target_properties = target_properties,
    .make_compiler = make_nvrtc_compiler,
    .make_inspector = [] { return LoadForInspection(inspect_cubin); },
    .make_gate = make_gate,
    .open_telemetry = open_telemetry,
    .record_launches = record_launches,
    .read_counters = read_counters,
    .start_profiler = start_profiler,
    .stop_profiler = stop_profiler,
    .push_range = push_range,
    .pop_range = pop_range,
    .describe_tools = describe_tools,
};

}  // namespace kernelbatch::cuda
