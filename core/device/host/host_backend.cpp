#include "core/device/host/host_backend.hpp"

#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"
#include "core/device/host/host_compiler.hpp"
#include "core/device/host/host_device.hpp"

namespace kernelbatch::host {
namespace {

constexpr std::string_view kName = "host";

bool is_host(std::string_view text) { return text == kName; }

void add_host(DeviceList& list) { list.devices.push_back(host_properties()); }

DeviceChoice choose_host(std::string_view) { return {.selector = std::string(kName)}; }

/// The host device loads the code; only the parameters of its kernels are queried.
LoadForInspection make_inspector() {
  std::shared_ptr<Device> host = open();
  return [host](const Image& image) { return host->load(image); };
}

Finding describe_sandbox() {
  const std::vector<std::string> missing = missing_sandbox_parts();
  if (missing.empty())
    return {"sandbox", true,
            "of kernel texts on the host: system calls (seccomp), files (Landlock)"};
  return {"sandbox", false, join(missing, "; ")};
}

std::vector<Finding> describe_tools() {
  // The compiler's path comes first.
  const std::string compiler = make_host_compiler()->identity();
  if (compiler.starts_with('/'))
    return {{"host compiler", true, compiler.substr(0, compiler.find(' '))}, describe_sandbox()};
  return {{"host compiler", false,
           "none ($CXX, g++, clang++, c++): the host runs only kernels that the cache has"},
          describe_sandbox()};
}

}  // namespace

constexpr Backend kBackend{
    .name = kName,
    .selector_forms = kName,
    .is_selector = is_host,
    .list = add_host,
    .choose = choose_host,
    .properties = [](const std::string&) { return host_properties(); },
    .open = [](const std::string&) { return open(); },
    .open_checked = [](const std::string&, const CheckKinds& kinds) { return open(kinds); },
    .target_form = kName,
    .is_target = is_host,
    .target_properties = [](std::string_view, int) { return host_properties(); },
    .make_compiler = [](std::string_view) { return make_host_compiler(); },
    .make_inspector = make_inspector,
    .open_telemetry = [](const DeviceProperties&) -> std::unique_ptr<Telemetry> {
      return std::make_unique<NoTelemetry>("no telemetry of the host");
    },
    .record_launches =
        [](Device& device, const std::vector<Stream*>&, const std::function<void()>& work) {
          return record_launches(device, work);
        },
    .describe_tools = describe_tools,
};

}  // namespace kernelbatch::host
