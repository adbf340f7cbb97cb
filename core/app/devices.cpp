// kernelbatch devices: what can be run on, and why not more.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/app/command.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {
namespace {

/// "2g.10gb of GPU 0, instance 3/0"; empty of a whole GPU.
std::string slice_text(const DeviceProperties& device) {
  if (device.mig_profile.empty()) return "";
  if (device.parent_index < 0) return device.mig_profile;
  return fmt::format("{} of GPU {}, instance {}/{}", device.mig_profile, device.parent_index,
                     device.gpu_instance, device.compute_instance);
}

void add_row(TextTable& table, const std::string& selector, const DeviceProperties& device) {
  const bool is_host = device.kind == DeviceKind::kHost;
  table.add({selector, device.name, device.target,
             device.compute_units < 0
                 ? "?"
                 : fmt::format("{} {}", device.compute_units, is_host ? "cores" : "SMs"),
             device.memory == 0 ? "?" : format_bytes(device.memory), slice_text(device), device.ecc,
             device.uuid});
}

int list_all_devices() {
  const DeviceList list = list_devices();
  TextTable table({"device", "name", "target", "units", "memory", "slice", "ECC", "uuid"});
  for (const DeviceProperties& device : list.devices)
    add_row(table,
            device.kind == DeviceKind::kHost ? "host" : fmt::format("cuda:{}", device.ordinal),
            device);
  for (const DeviceProperties& slice : list.hidden) add_row(table, "by uuid", slice);
  fmt::print("{}", table.to_text({}, text_format()));
  if (!list.hidden.empty())
    fmt::print("CUDA shows one slice to a process: the others are taken by UUID, one per run\n");
  if (!list.cuda_reason.empty())
    fmt::print("no GPU can be used: {}\n", list.cuda_reason);
  else
    fmt::print("CUDA driver: {}\n", list.cuda_driver);
  if (!list.unknown.empty())
    fmt::print("GPUs of slices, their instances and ECC may be unknown: {}\n", list.unknown);
  fmt::print("NVRTC: {}\n", list.nvrtc);
  return 0;
}

/// What a run with this selector would take, and nothing else.
int show_device(const std::string& selector) {
  const DeviceChoice choice = choose_device(selector);
  if (!choice.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", choice.note);
  const DeviceProperties device = properties_of(choice);
  TextTable table({"device", "name", "target", "units", "memory", "slice", "ECC", "uuid"});
  add_row(table, choice.selector, device);
  fmt::print("{}", table.to_text({}, text_format()));
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "GPUs, MIG slices and the host");
  auto selector = std::make_shared<std::string>();
  command->add_option("--device", *selector, "Only the one that a run with this --device takes")
      ->envname("KERNELBATCH_DEVICE");
  command->callback([selector, &action] {
    action = [selector] { return selector->empty() ? list_all_devices() : show_device(*selector); };
  });
}

}  // namespace kernelbatch::app
