// kernelbatch devices: usable devices, and why others are not.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/app/command.hpp"
#include "core/app/doctor.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {
namespace {

struct DevicesOptions {
  std::string selector;
  bool is_verbose = false, prints_json = false;
};

/// "2g.10gb of GPU 0, instance 3/0"; empty for a whole GPU.
std::string slice_text(const DeviceProperties& device) {
  if (device.mig_profile.empty()) return "";
  if (device.parent_index < 0) return device.mig_profile;
  return fmt::format("{} of GPU {}, instance {}/{}", device.mig_profile, device.parent_index,
                     device.gpu_instance, device.compute_instance);
}

void add_row(TextTable& table, const std::string& selector, const DeviceProperties& device) {
  table.add({selector, device.name, device.target,
             device.compute_units < 0
                 ? "?"
                 : fmt::format("{} {}", device.compute_units, device.is_gpu ? "SMs" : "cores"),
             device.memory == 0 ? "?" : format_bytes(device.memory), slice_text(device), device.ecc,
             device.uuid});
}

int list_all_devices() {
  const DeviceList list = list_devices();
  TextTable table({"device", "name", "target", "units", "memory", "slice", "ECC", "uuid"});
  for (const DeviceProperties& device : list.devices) add_row(table, device.selector, device);
  for (const DeviceProperties& slice : list.hidden) add_row(table, "by uuid", slice);
  table.drop_when_narrow({6, 5, 3});
  table.wrap({1, 7});
  fmt::print("{}", table.to_text({}, text_format()));
  if (!list.hidden.empty())
    fmt::print("CUDA shows one slice to a process: select the others by UUID, one per run\n");
  if (!list.cuda_reason.empty())
    fmt::print("no GPU can be used: {}\n", list.cuda_reason);
  else
    fmt::print("CUDA driver: {}\n", list.cuda_driver);
  if (!list.unknown.empty())
    fmt::print("GPUs of slices, their instances and ECC may be unknown: {}\n", list.unknown);
  fmt::print("NVRTC: {}\n", list.nvrtc);
  return 0;
}

nlohmann::ordered_json to_json(const DeviceProperties& device) {
  return {{"device", device.selector}, {"name", device.name},
          {"target", device.target},   {"units", device.compute_units},
          {"memory", device.memory},   {"slice", device.mig_profile},
          {"ecc", device.ecc},         {"uuid", device.uuid}};
}

int print_json(bool is_verbose) {
  const DeviceList list = list_devices();
  nlohmann::ordered_json json;
  auto& devices = json["devices"] = nlohmann::ordered_json::array();
  for (const DeviceProperties& device : list.devices) devices.push_back(to_json(device));
  for (const DeviceProperties& slice : list.hidden) devices.push_back(to_json(slice));
  json["cuda_driver"] = list.cuda_driver;
  json["no_gpu_because"] = list.cuda_reason;
  json["unknown"] = list.unknown;
  json["nvrtc"] = list.nvrtc;
  if (is_verbose) json["sections"] = nlohmann::ordered_json::parse(to_json(examine()));
  print_data();
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return 0;
}

/// Shows only the device that a run with this selector uses.
int show_device(const std::string& selector) {
  const DeviceChoice choice = choose_device(selector);
  if (!choice.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", choice.note);
  const DeviceProperties device = properties_of(choice);
  TextTable table({"device", "name", "target", "units", "memory", "slice", "ECC", "uuid"});
  add_row(table, choice.selector, device);
  fmt::print("{}", table.to_text({}, text_format()));
  return 0;
}

int show_devices(const DevicesOptions& options) {
  if (options.prints_json) return print_json(options.is_verbose);
  if (!options.selector.empty()) return show_device(options.selector);
  list_all_devices();
  if (options.is_verbose) fmt::print("{}", to_text(examine()));
  return 0;
}

}  // namespace

Command devices_command() {
  auto options = std::make_shared<DevicesOptions>();
  Command command{.name = "devices", .summary = "GPUs, MIG slices and the host"};
  command.add(
      {{.names = {"--device"},
        .help = "Only the device that a run with this --device uses",
        .target = &options->selector,
        .type = kDevice,
        .environment = "KERNELBATCH_DEVICE"},
       {.names = {"-v", "--verbose"},
        .help = "Also everything a run can use, and what is missing: tools, cache, plugins, "
                "Slurm, HDF5",
        .target = &options->is_verbose},
       {.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {
      {"kernelbatch devices", ""},
      {"kernelbatch devices --verbose", "everything a run can use, and what is missing"},
      {"kernelbatch devices --device host", ""}};
  command.action = [options] { return show_devices(*options); };
  return command;
}

}  // namespace kernelbatch::app
