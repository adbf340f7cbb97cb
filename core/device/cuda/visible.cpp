#include "core/device/cuda/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/cuda/check.hpp"
#include "core/device/cuda/inventory.hpp"
#include "core/device/cuda/target.hpp"

namespace kernelbatch::cuda {
namespace {

int attribute(CUdevice_attribute which, CUdevice device) {
  int value = 0;
  check(driver().cuDeviceGetAttribute_(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

std::string uuid_text(const CUuuid& uuid, bool is_slice) {
  std::string text = is_slice ? "MIG-" : "GPU-";
  for (int k = 0; k < 16; ++k) {
    if (k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[k]));
  }
  return text;
}

DeviceProperties properties_of(int ordinal, const std::string& driver_version) {
  const Driver& cu = driver();
  CUdevice device = 0;
  check(cu.cuDeviceGet_(&device, ordinal), "cuDeviceGet");
  DeviceProperties p = common_properties();
  p.ordinal = ordinal;
  p.selector = fmt::format("cuda:{}", ordinal);
  p.driver = driver_version;
  char text[256] = {};
  check(cu.cuDeviceGetName_(text, sizeof text, device), "cuDeviceGetName");
  p.name = text;
  p.mig_profile = profile_in(p.name);
  CUuuid uuid{};
  check(cu.cuDeviceGetUuid_(&uuid, device), "cuDeviceGetUuid");
  p.uuid = uuid_text(uuid, !p.mig_profile.empty());
  check(cu.cuDeviceGetPCIBusId_(text, sizeof text, device), "cuDeviceGetPCIBusId");
  p.pci = text;
  check(cu.cuDeviceTotalMem_(&p.memory, device), "cuDeviceTotalMem");
  p.capability_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  p.capability_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  p.target = fmt::format("sm_{}{}", p.capability_major, p.capability_minor);
  p.compute_units = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  p.shared_cache = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
  p.clock = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
  p.memory_clock = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device);
  p.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  p.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  p.max_threads_per_unit = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
  p.shared_per_block =
      static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device));
  p.shared_per_block_optin = static_cast<std::size_t>(
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
  p.shared_per_unit = static_cast<std::size_t>(
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device));
  set_loop_geometry(p);
  return p;
}

/// Fills in what the driver does not report about a device.
void complete(DeviceProperties& p, const Inventory& known) {
  const FoundSlice found = find_slice(known, p.uuid);
  if (found.slice != nullptr) {
    const DeviceProperties of_slice = properties_of(*found.gpu, *found.slice);
    p.parent_uuid = of_slice.parent_uuid;
    p.parent_index = of_slice.parent_index;
    p.gpu_instance = of_slice.gpu_instance;
    p.compute_instance = of_slice.compute_instance;
    p.ecc = of_slice.ecc;
  }
  for (const KnownGpu& gpu : known.gpus)
    if (gpu.uuid == p.uuid) p.ecc = gpu.ecc;
}

/// "MIG-… (2g.10gb of GPU 0)".
std::string described(const KnownGpu& gpu, const KnownSlice& slice) {
  return fmt::format("{} ({} of GPU {})", slice.uuid, slice.profile, gpu.index);
}

/// The slice with the nearest name, or a few of the existing ones.
std::string slices_there(std::string_view name, const Inventory& known) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> uuids, texts;
  for (const KnownGpu& gpu : known.gpus)
    for (const KnownSlice& slice : gpu.slices) {
      uuids.push_back(slice.uuid);
      texts.push_back(described(gpu, slice));
    }
  if (texts.empty()) return "no GPU of this node has slices";
  const std::string near = nearest_name(name, uuids);
  for (std::size_t k = 0; k < uuids.size(); ++k)
    if (uuids[k] == near) return fmt::format("the nearest is {}", texts[k]);
  const std::size_t more = texts.size() - std::min(texts.size(), kShown);
  texts.resize(texts.size() - more);
  return fmt::format("this node has {}{}", join(texts),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Why a GPU in MIG mode cannot be used; empty if it is not in MIG mode or has slices.
std::string why_no_slice(const KnownGpu& gpu) {
  if (!gpu.is_mig || !gpu.slices.empty()) return "";
  return gpu.reason.empty()
             ? fmt::format(
                   "GPU {} is in MIG mode and has no slice: an administrator makes them "
                   "(nvidia-smi mig -cgi … -C)",
                   gpu.index)
             : fmt::format("GPU {} is in MIG mode and does not report its slices ({})", gpu.index,
                           gpu.reason);
}

std::string why_no_device(const Inventory& known) {
  std::vector<std::string> reasons;
  if (const auto mask = environment("CUDA_VISIBLE_DEVICES")) {
    reasons.push_back(fmt::format("CUDA_VISIBLE_DEVICES={} leaves no GPU visible", *mask));
    for (const std::string& name : split(*mask, ','))
      if (name.starts_with("MIG-") && !known.gpus.empty() &&
          find_slice(known, name).slice == nullptr)
        reasons.push_back(fmt::format("{} is not there, {}", name, slices_there(name, known)));
  }
  for (const KnownGpu& gpu : known.gpus)
    if (const std::string reason = why_no_slice(gpu); !reason.empty()) reasons.push_back(reason);
  return reasons.empty() ? "the driver finds no GPU" : join(reasons, "; ");
}

std::string why_unknown(const Inventory& known) {
  if (!known.reason.empty()) return known.reason;
  for (const KnownGpu& gpu : known.gpus)
    if (!gpu.reason.empty())
      return fmt::format("GPU {} does not report its slices ({})", gpu.index, gpu.reason);
  return "";
}

bool is_granted(const FoundSlice& found, const Inventory& known) {
  const auto mask = environment("CUDA_VISIBLE_DEVICES");
  if (!mask) return true;
  // A whole GPU's index or UUID also grants its slices.
  return std::ranges::any_of(split(*mask, ','), [&](const std::string& name) {
    return find_slice(known, name).slice == found.slice ||
           name == std::to_string(found.gpu->index) ||
           (name.size() > 4 && found.gpu->uuid.starts_with(name));
  });
}

}  // namespace

Visible visible_devices() {
  const DriverState& state = driver_state();
  Visible visible;
  visible.driver = state.version;
  visible.reason = state.reason;
  if (!visible.reason.empty() && !state.has_no_device) return visible;
  const Inventory known = inventory();
  if (!known.driver.empty()) visible.driver += fmt::format(" ({})", known.driver);
  visible.unknown = why_unknown(known);
  int count = 0;
  if (!state.has_no_device) check(state.functions.cuDeviceGetCount_(&count), "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    visible.devices.push_back(properties_of(ordinal, visible.driver));
    complete(visible.devices.back(), known);
  }
  for (const KnownGpu& gpu : known.gpus)
    for (const KnownSlice& slice : gpu.slices)
      if (std::ranges::none_of(visible.devices,
                               [&](const auto& device) { return device.uuid == slice.uuid; }))
        visible.hidden.push_back(properties_of(gpu, slice));
  if (count == 0) visible.reason = why_no_device(known);
  return visible;
}

std::string choose_slice(std::string_view name) {
  const Inventory known = inventory();
  const FoundSlice found = find_slice(known, name);
  if (found.slice == nullptr) {
    if (!why_unknown(known).empty() || known.gpus.empty()) return "";
    throw DeviceError(fmt::format("device '{}' is not on this node: {}; see `kernelbatch devices`",
                                  name, slices_there(name, known)));
  }
  if (!is_granted(found, known))
    throw DeviceError(fmt::format(
        "device '{}' ({} of GPU {}) is not granted to this process: CUDA_VISIBLE_DEVICES={}", name,
        found.slice->profile, found.gpu->index, environment("CUDA_VISIBLE_DEVICES").value_or("")));
  return found.slice->uuid;
}

std::string why_not_visible(std::string_view uuid, const Visible& visible) {
  const Inventory known = inventory();
  for (const KnownGpu& gpu : known.gpus) {
    if (uuid.size() < 5 || !gpu.uuid.starts_with(uuid)) continue;
    if (const std::string reason = why_no_slice(gpu); !reason.empty()) return reason;
    if (gpu.is_mig)
      return fmt::format("GPU {} is in MIG mode: ask for a slice of it, as {}", gpu.index,
                         gpu.slices.front().uuid);
    return fmt::format("GPU {} is not granted to this process: CUDA_VISIBLE_DEVICES={}", gpu.index,
                       environment("CUDA_VISIBLE_DEVICES").value_or(""));
  }
  std::vector<std::string> uuids;
  for (const DeviceProperties& device : visible.devices) uuids.push_back(device.uuid);
  return fmt::format("no visible GPU has it{}", suggestion(uuid, uuids));
}

std::vector<std::string> granted_devices() {
  std::vector<std::string> granted;
  const Inventory known = inventory();
  if (const auto mask = environment("CUDA_VISIBLE_DEVICES"))
    for (const std::string& name : split(*mask, ',')) {
      const FoundSlice found = find_slice(known, name);
      if (found.slice != nullptr)
        granted.push_back(found.slice->uuid);
      else if (name.starts_with("MIG-"))
        granted.push_back(name);
    }
  if (granted.empty())
    for (const DeviceProperties& device : visible_devices().devices) granted.push_back(device.uuid);
  return granted;
}

int ordinal_of_slice(const std::string& uuid) {
  // CUDA reads only this variable, once, when it starts; records contain the original value.
  const char* const kMask = "CUDA_VISIBLE_DEVICES";
  const auto granted = environment(kMask);
  if (!is_driver_open()) ::setenv(kMask, uuid.c_str(), 1);
  const Visible visible = visible_devices();
  if (granted)
    ::setenv(kMask, granted->c_str(), 1);
  else
    ::unsetenv(kMask);
  for (const DeviceProperties& device : visible.devices)
    if (device.uuid == uuid) return device.ordinal;
  throw DeviceError(
      fmt::format("CUDA does not show the slice '{}': {}", uuid,
                  visible.devices.empty()
                      ? visible.reason
                      : fmt::format("it shows {} to this process", visible.devices.front().uuid)));
}

}  // namespace kernelbatch::cuda
