#include "core/device/cuda/inventory.hpp"

#include <fmt/format.h>

#include "core/device/cuda/nvml.hpp"
#include "core/device/cuda/target.hpp"

namespace kernelbatch::cuda {
namespace {

template <class Function, class... Arguments>
std::string text_of(const Nvml& nvml, Function* function, Arguments... arguments) {
  char text[96] = {};
  return ask(nvml, function, nullptr, arguments..., text, unsigned{sizeof text}) ? text : "";
}

int number_of(const Nvml& nvml, NvmlResult (*function)(NvmlDevice*, unsigned*),
              NvmlDevice* device) {
  unsigned value = 0;
  return ask(nvml, function, nullptr, device, &value) ? static_cast<int>(value) : -1;
}

KnownSlice slice_of(const Nvml& nvml, NvmlDevice* handle) {
  KnownSlice slice;
  slice.uuid = text_of(nvml, nvml.uuid, handle);
  slice.name = text_of(nvml, nvml.name, handle);
  slice.profile = profile_in(slice.name);
  slice.gpu_instance = number_of(nvml, nvml.gpu_instance, handle);
  slice.compute_instance = number_of(nvml, nvml.compute_instance, handle);
  NvmlAttributes attributes;
  if (ask(nvml, nvml.attributes, nullptr, handle, &attributes)) {
    slice.compute_units = static_cast<int>(attributes.multiprocessors);
    slice.memory = std::size_t{attributes.memory_mib} << 20;
  }
  return slice;
}

void add_slices(const Nvml& nvml, NvmlDevice* handle, KnownGpu& gpu) {
  unsigned current = 0, pending = 0;
  // For a GPU without MIG the query itself fails.
  if (!ask(nvml, nvml.mig_mode, nullptr, handle, &current, &pending) || current == 0) return;
  gpu.is_mig = true;
  unsigned places = 0;
  if (!ask(nvml, nvml.slice_places, &gpu.reason, handle, &places)) return;
  for (unsigned place = 0; place < places; ++place) {
    if (nvml.slice_by_place == nullptr) break;
    NvmlDevice* slice = nullptr;
    const NvmlResult result = nvml.slice_by_place(handle, place, &slice);
    // Positions are not filled in order and may be empty.
    if (result == kNvmlSuccess)
      gpu.slices.push_back(slice_of(nvml, slice));
    else if (result != kNvmlNotFound)
      gpu.reason = nvml.error_text(result);
  }
}

/// MIG-GPU-<uuid of the GPU>/<gi>/<ci>, as drivers before 470 named slices and sites may still do.
std::string old_name(const KnownGpu& gpu, const KnownSlice& slice) {
  return fmt::format("MIG-{}/{}/{}", gpu.uuid, slice.gpu_instance, slice.compute_instance);
}

}  // namespace

Inventory inventory() {
  Inventory inventory;
  const NvmlState& state = nvml_state();
  inventory.reason = state.reason;
  if (!inventory.reason.empty()) return inventory;
  const Nvml& nvml = state.functions;
  inventory.driver = text_of(nvml, nvml.driver_version);
  unsigned count = 0;
  if (!ask(nvml, nvml.count, &inventory.reason, &count)) return inventory;
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice* handle = nullptr;
    std::string reason;
    if (!ask(nvml, nvml.by_index, &reason, index, &handle)) {
      inventory.reason = fmt::format("NVML does not give GPU {} ({})", index, reason);
      continue;
    }
    KnownGpu gpu;
    gpu.index = static_cast<int>(index);
    gpu.uuid = text_of(nvml, nvml.uuid, handle);
    gpu.name = text_of(nvml, nvml.name, handle);
    int current = 0, pending = 0;
    if (ask(nvml, nvml.ecc_mode, nullptr, handle, &current, &pending))
      gpu.ecc = current != 0 ? "on" : "off";
    add_slices(nvml, handle, gpu);
    inventory.gpus.push_back(std::move(gpu));
  }
  return inventory;
}

FoundSlice find_slice(const Inventory& inventory, std::string_view name) {
  FoundSlice found;
  int begin_so = 0;
  for (const KnownGpu& gpu : inventory.gpus)
    for (const KnownSlice& slice : gpu.slices) {
      if (slice.uuid == name || old_name(gpu, slice) == name) return {&gpu, &slice};
      if (name.size() < 5 || !slice.uuid.starts_with(name)) continue;
      ++begin_so;
      found = {&gpu, &slice};
    }
  return begin_so == 1 ? found : FoundSlice{};
}

DeviceProperties properties_of(const KnownGpu& gpu, const KnownSlice& slice) {
  DeviceProperties p = common_properties();
  p.ordinal = -1;
  p.selector = slice.uuid;
  p.name = slice.name;
  p.uuid = slice.uuid;
  p.mig_profile = slice.profile;
  p.parent_uuid = gpu.uuid;
  p.parent_index = gpu.index;
  p.gpu_instance = slice.gpu_instance;
  p.compute_instance = slice.compute_instance;
  p.ecc = gpu.ecc;
  p.compute_units = slice.compute_units;
  p.memory = slice.memory;
  return p;
}

std::string profile_in(const std::string& name) {
  const std::size_t mig = name.find(" MIG ");
  return mig == std::string::npos ? "" : name.substr(mig + 5);
}

}  // namespace kernelbatch::cuda
