#include "core/device/device_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/error.hpp"
#include "core/device/annotation.hpp"
#include "core/device/compile_only.hpp"
#include "core/device/host/host_compiler.hpp"
#include "core/device/host/host_device.hpp"
#include "core/device/host/host_launch_log.hpp"
#include "core/device/tools.hpp"
#if KERNELBATCH_HAS_CUDA
#include "core/device/cuda/cubin.hpp"
#include "core/device/cuda/cuda_device.hpp"
#include "core/device/cuda/cuda_gate.hpp"
#include "core/device/cuda/cuda_launch_log.hpp"
#include "core/device/cuda/nvrtc_compiler.hpp"
#include "core/device/cuda/profiler.hpp"
#include "core/device/cuda/target.hpp"
#include "core/device/cuda/telemetry.hpp"
#include "core/device/cuda/tools.hpp"
#include "core/device/cuda/visible.hpp"
#endif

namespace kernelbatch {

#if !KERNELBATCH_HAS_CUDA
// The same questions, answered by a build that has no CUDA backend.
namespace cuda {
namespace {
struct Visible {
  std::vector<DeviceProperties> devices, hidden;
  std::string reason = "this kernelbatch was built without the CUDA Toolkit";
  std::string driver, unknown;
};
Visible visible_devices() { return {}; }
std::string choose_slice(std::string_view) { return ""; }
std::string why_not_visible(std::string_view, const Visible& visible) { return visible.reason; }
std::vector<std::string> granted_devices() { return {}; }
int ordinal_of_slice(const std::string&) { throw DeviceError(visible_devices().reason); }
std::string nvrtc_description() { return "not built in"; }
std::unique_ptr<Device> open(int) { throw DeviceError(visible_devices().reason); }
std::unique_ptr<Compiler> make_nvrtc_compiler(std::string_view) {
  throw DeviceError(visible_devices().reason);
}
std::unique_ptr<Module> inspect_cubin(const Image&) { throw DeviceError(visible_devices().reason); }
DeviceProperties target_properties(std::string_view, int) {
  throw DeviceError(visible_devices().reason);
}
std::unique_ptr<Gate> make_gate(Device&) { throw DeviceError(visible_devices().reason); }
std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties&) {
  throw DeviceError(visible_devices().reason);
}
LaunchList record_launches(Device&, const std::vector<Stream*>&, const std::function<void()>&) {
  throw DeviceError(visible_devices().reason);
}
void start_profiler() {}
void stop_profiler() {}
std::vector<Finding> describe_tools() { return {{"driver", false, visible_devices().reason}}; }
void push_range(const char*) {}
void pop_range() {}
}  // namespace
}  // namespace cuda
#endif

namespace {

/// The device whose UUID begins so, if it is the only one.
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

bool is_slice(std::string_view selector) { return selector.starts_with("MIG-"); }

int ordinal_of(const DeviceChoice& choice) {
  return is_slice(choice.selector) ? cuda::ordinal_of_slice(choice.selector)
                                   : std::stoi(choice.selector.substr(5));
}

/// Of a device that tells nothing.
class NoTelemetry final : public Telemetry {
 public:
  TelemetryReading read() override {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return {kUnknown, kUnknown, kUnknown, kUnknown, false, false, ""};
  }
  const std::string& absence() const override { return absence_; }

 private:
  std::string absence_ = "no telemetry of the host";
};

/// "sm_90"; "sm_90a" and "sm_100f" are such with instructions of their own.
bool is_gpu_target(std::string_view target) {
  if (!target.starts_with("sm_")) return false;
  const std::string_view number = target.substr(3);
  const std::size_t end = std::min(number.find_first_not_of("0123456789"), number.size());
  const std::string_view rest = number.substr(end);
  return end > 0 && (rest.empty() || rest == "a" || rest == "f");
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
  list.hidden = std::move(visible.hidden);
  list.unknown = std::move(visible.unknown);
  list.nvrtc = cuda::nvrtc_description();
  list.devices.push_back(host::host_properties());
  return list;
}

DeviceChoice choose_device(std::string_view selector) {
  if (selector == "host") return {DeviceKind::kHost, "host", ""};
  const bool is_auto = selector == "auto" || selector.empty();
  const bool is_uuid = selector.starts_with("GPU-") || is_slice(selector);
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

  if (is_slice(selector))
    if (std::string uuid = cuda::choose_slice(selector); !uuid.empty())
      return {DeviceKind::kCuda, std::move(uuid), ""};
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
      throw DeviceError(fmt::format("device '{}' cannot be used: {}", selector,
                                    cuda::why_not_visible(selector, visible)));
    ordinal = found->ordinal;
  }
  if (ordinal >= static_cast<int>(visible.devices.size()))
    throw DeviceError(fmt::format("device '{}' is not there: {} GPU(s) visible, cuda:0 to cuda:{}",
                                  selector, visible.devices.size(), visible.devices.size() - 1));
  return {DeviceKind::kCuda, fmt::format("cuda:{}", ordinal), ""};
}

std::unique_ptr<Device> open_device(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kHost) return host::open();
  return cuda::open(ordinal_of(choice));
}

std::vector<std::string> granted_devices() { return cuda::granted_devices(); }

std::unique_ptr<Compiler> make_compiler(std::string_view target) {
  if (target == "host") return host::make_host_compiler();
  if (target.starts_with("sm_")) return cuda::make_nvrtc_compiler(target);
  throw SpecError(fmt::format("unknown target '{}': expected host or sm_NN", target));
}

DeviceProperties properties_of(const DeviceChoice& choice) {
  if (choice.kind == DeviceKind::kHost) return host::host_properties();
  const auto ordinal = static_cast<std::size_t>(ordinal_of(choice));
  const auto visible = cuda::visible_devices();
  if (ordinal >= visible.devices.size())
    throw DeviceError(fmt::format("device '{}' is not there any more", choice.selector));
  return visible.devices[ordinal];
}

DeviceProperties properties_of_target(std::string_view target, int compute_units) {
  if (target == "host") return host::host_properties();
  // A text that is no target is a user error, in every build.
  if (is_gpu_target(target)) return cuda::target_properties(target, compute_units);
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

std::unique_ptr<Gate> make_gate(Device& device) {
  if (device.properties().kind == DeviceKind::kCuda) return cuda::make_gate(device);
  return std::make_unique<Gate>();
}

std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties) {
  if (properties.kind == DeviceKind::kCuda) return cuda::open_telemetry(properties);
  return std::make_unique<NoTelemetry>();
}

LaunchList record_launches(Device& device, const std::vector<Stream*>& streams,
                           const std::function<void()>& work) {
  if (device.properties().kind == DeviceKind::kCuda)
    return cuda::record_launches(device, streams, work);
  return host::record_launches(work);
}

void start_profiler(Device& device) {
  if (device.properties().kind == DeviceKind::kCuda) cuda::start_profiler();
}
void stop_profiler(Device& device) {
  if (device.properties().kind == DeviceKind::kCuda) cuda::stop_profiler();
}

std::vector<Finding> describe_tools() {
  std::vector<Finding> findings = cuda::describe_tools();
  findings.push_back(counter_permission("/proc/driver/nvidia/params"));
  // Its path comes first.
  const std::string compiler = host::make_host_compiler()->identity();
  if (compiler.starts_with('/'))
    findings.push_back({"host compiler", true, compiler.substr(0, compiler.find(' '))});
  else
    findings.push_back({"host compiler", false,
                        "none ($CXX, g++, clang++, c++): the host runs only kernels that the cache "
                        "has"});
  return findings;
}

AnnotatedRange::AnnotatedRange(const std::string& name) { cuda::push_range(name.c_str()); }
AnnotatedRange::~AnnotatedRange() { cuda::pop_range(); }

}  // namespace kernelbatch
