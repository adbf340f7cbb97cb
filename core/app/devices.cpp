// kernelbatch devices: what can be run on, and why not more.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/app/command.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {
namespace {

int list_all_devices() {
  const DeviceList list = list_devices();
  TextTable table({"device", "name", "target", "units", "memory", "uuid"});
  for (const DeviceProperties& device : list.devices) {
    const bool is_host = device.kind == DeviceKind::kHost;
    table.add({is_host ? "host" : fmt::format("cuda:{}", device.ordinal), device.name,
               device.target, fmt::format("{} {}", device.compute_units, is_host ? "cores" : "SMs"),
               format_bytes(device.memory), device.uuid});
  }
  fmt::print("{}", table.to_text({}, text_format()));
  if (!list.cuda_reason.empty())
    fmt::print("no GPU can be used: {}\n", list.cuda_reason);
  else
    fmt::print("CUDA driver: {}\n", list.cuda_driver);
  fmt::print("NVRTC: {}\n", list.nvrtc);
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "GPUs, MIG slices and the host");
  command->callback([&action] { action = list_all_devices; });
}

}  // namespace kernelbatch::app
