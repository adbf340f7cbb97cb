#include "core/device/device_list.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.hpp"
#include "core/device/compile_only.hpp"
#include "core/device/host/host_device.hpp"
#if KERNELBATCH_HAS_CUDA
#include "core/device/cuda/cubin.hpp"
#include "core/device/cuda/cuda_device.hpp"
#include "core/device/cuda/nvrtc_compiler.hpp"
#include "core/device/cuda/target.hpp"
#include "core/device/cuda/visible.hpp"
#endif

namespace kernelbatch {

#if !KERNELBATCH_HAS_CUDA
// The same questions, answered by a build that has no CUDA backend.
namespace cuda {
namespace {
struct Visible {
  std::vector<DeviceProperties> devices;
  std::string reason = "this kernelbatch was built without the CUDA Toolkit";
  std::string driver;
};
Visible visible_devices() { return {}; }
std::string nvrtc_description() { return "not built in"; }
std::unique_ptr<Device> open(int) { throw DeviceError(visible_devices().reason); }
std::unique_ptr<Compiler> make_nvrtc_compiler(std::string_view) {
  throw DeviceError(visible_devices().reason);
}
std::unique_ptr<Module> inspect_cubin(const Image&) { throw DeviceError(visible_devices().reason); }
DeviceProperties target_properties(std::string_view, int) {
  throw DeviceError(visible_devices().reason);
}
}  // namespace
}  // namespace cuda
#endif

namespace {

const DeviceProperties* find_gpu(const std::vector<DeviceProperties>& devices,
                                 std::string_view uuid) {
  for (const DeviceProperties& device : devices)
    if (device.kind == DeviceKind::kCuda && device.uuid.starts_with(uuid)) return &device;
  return nullptr;
}

[[noreturn]] void fail_selector(std::string_view selector) {
  throw SpecError(fmt::format(
      "unknown device '{}': expected auto, host, cuda, cuda:N, or a GPU-… or MIG-… UUID",
      selector));
}

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  auto visible = cuda::visible_devices();
  list.devices = std::move(visible.devices);
  list.cuda_reason = std::move(visible.reason);
  list.cuda_driver = std::move(visible.driver);
  list.nvrtc = cuda::nvrtc_description();
  list.devices.push_back(host::host_properties());
  return list;
}

DeviceChoice choose_device(std::string_view selector) {
  if (selector == "host") return {DeviceKind::kHost, "host", ""};
  const bool is_auto = selector == "auto" || selector.empty();
  const bool is_uuid = selector.starts_with("GPU-") || selector.starts_with("MIG-");
  int ordinal = 0;
  if (selector.starts_with("cuda:")) {
    const std::string_view digits = selector.substr(5);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error != std::errc{} || end != digits.data() + digits.size() || ordinal < 0)
      fail_selector(selector);
  } else if (!is_auto && !is_uuid && selector != "cuda") {
    fail_selector(selector);
  }

  const auto visible = cuda::visible_devices();
  if (visible.devices.empty()) {
    if (is_auto)
      return {DeviceKind::kHost, "host",
              fmt::format("no usable GPU ({}); running on the host", visible.reason)};
    throw DeviceError(fmt::format("device '{}' cannot be used: {}", selector, visible.reason));
  }
  if (is_uuid) {
    const DeviceProperties* found = find_gpu(visible.devices, selector);
    if (found == nullptr)
      throw DeviceError(fmt::format("device '{}' is not among the {} visible GPUs", selector,
                                    visible.devices.size()));
    ordinal = found->ordinal;
  }
  if (ordinal >= static_cast<int>(visible.devices.size()))
    throw DeviceError(fmt::format("device '{}' is not there: {} GPU(s) visible, counted from 0",
                                  selector, visible.devices.size()));
  return {DeviceKind::kCuda, fmt::format("cuda:{}", ordinal), ""};
}

std::unique_ptr<Device> open_device(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kHost) return host::open();
  return cuda::open(std::stoi(choice.selector.substr(5)));
}

std::unique_ptr<Compiler> make_compiler(std::string_view target) {
  if (target == "host") return host::make_host_compiler();
  if (target.starts_with("sm_")) return cuda::make_nvrtc_compiler(target);
  throw SpecError(fmt::format("unknown target '{}': expected host or sm_NN", target));
}

DeviceProperties properties_of(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kHost) return host::host_properties();
  const auto visible = cuda::visible_devices();
  const auto ordinal = static_cast<std::size_t>(std::stoi(choice.selector.substr(5)));
  if (ordinal >= visible.devices.size())
    throw DeviceError(fmt::format("device '{}' is not there any more", choice.selector));
  return visible.devices[ordinal];
}

DeviceProperties properties_of_target(std::string_view target, int compute_units) {
  if (target == "host") return host::host_properties();
  if (target.starts_with("sm_")) return cuda::target_properties(target, compute_units);
  throw SpecError(fmt::format("unknown target '{}': expected host or sm_NN", target));
}

std::unique_ptr<Device> open_compile_only(const DeviceProperties& properties) {
  if (properties.kind == DeviceKind::kCuda)
    return make_compile_only_device(properties, make_compiler(properties.target),
                                    cuda::inspect_cubin);
  // The host's own device loads the code; its kernels are asked for their parameters alone.
  std::shared_ptr<Device> host = host::open();
  return make_compile_only_device(properties, make_compiler("host"),
                                  [host](const Image& image) { return host->load(image); });
}

}  // namespace kernelbatch
