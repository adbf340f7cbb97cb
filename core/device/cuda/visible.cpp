#include "core/device/cuda/visible.hpp"

#include <fmt/format.h>

#include "core/base/process.hpp"
#include "core/device/cuda/check.hpp"
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
  DeviceProperties p;
  p.kind = DeviceKind::kCuda;
  p.ordinal = ordinal;
  p.driver = driver_version;
  char text[256] = {};
  check(cu.cuDeviceGetName_(text, sizeof text, device), "cuDeviceGetName");
  p.name = text;
  // The driver names a slice after its GPU and profile: "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
  const std::size_t mig = p.name.find(" MIG ");
  if (mig != std::string::npos) p.mig_profile = p.name.substr(mig + 5);
  CUuuid uuid{};
  check(cu.cuDeviceGetUuid_(&uuid, device), "cuDeviceGetUuid");
  p.uuid = uuid_text(uuid, mig != std::string::npos);
  check(cu.cuDeviceGetPCIBusId_(text, sizeof text, device), "cuDeviceGetPCIBusId");
  p.pci = text;
  check(cu.cuDeviceTotalMem_(&p.memory, device), "cuDeviceTotalMem");
  p.capability_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  p.capability_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  p.target = fmt::format("sm_{}{}", p.capability_major, p.capability_minor);
  p.compute_units = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  p.l2 = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
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

}  // namespace

Visible visible_devices() {
  const DriverState& state = driver_state();
  Visible visible;
  visible.driver = state.version;
  visible.reason = state.reason;
  if (!visible.reason.empty()) return visible;
  int count = 0;
  check(state.functions.cuDeviceGetCount_(&count), "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal)
    visible.devices.push_back(properties_of(ordinal, state.version));
  if (count == 0) {
    const auto mask = environment("CUDA_VISIBLE_DEVICES");
    visible.reason = mask ? fmt::format("CUDA_VISIBLE_DEVICES={} leaves no GPU visible", *mask)
                          : "the driver finds no GPU";
  }
  return visible;
}

}  // namespace kernelbatch::cuda
