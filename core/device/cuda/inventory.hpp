// NVML's data about the node's GPUs and their MIG slices, including those that CUDA does not show
// to this process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// A compute instance of a GPU instance: one device for CUDA.
struct KnownSlice {
  std::string uuid;     ///< MIG-<uuid>
  std::string name;     ///< NVIDIA H100 80GB HBM3 MIG 1g.10gb
  std::string profile;  ///< 1g.10gb
  int gpu_instance = -1, compute_instance = -1;
  int compute_units = -1;  ///< SMs; -1 = unknown
  std::size_t memory = 0;  ///< bytes; 0 = unknown
};

struct KnownGpu {
  int index = 0;  ///< NVML's, in bus order: not CUDA's
  std::string uuid, name;
  std::string ecc;  ///< "on" or "off"; empty if unknown
  bool is_mig = false;
  std::vector<KnownSlice> slices;
  std::string reason;  ///< why slices may be missing; empty otherwise
};

struct Inventory {
  std::vector<KnownGpu> gpus;
  std::string driver;  ///< 580.65.06; empty if unknown
  std::string reason;  ///< why GPUs may be missing; empty otherwise
};

/// Queries NVML each time. Never throws: data that NVML does not provide is unknown, with a reason.
Inventory inventory();

struct FoundSlice {
  const KnownGpu* gpu = nullptr;
  const KnownSlice* slice = nullptr;  ///< null = not found
};

/// The slice with a name: MIG-<uuid>, a unique prefix of one, or the old form MIG-GPU-<uuid of the
/// GPU>/<gi>/<ci>.
FoundSlice find_slice(const Inventory& inventory, std::string_view name);

/// Properties known without CUDA; the ordinal is -1.
DeviceProperties properties_of(const KnownGpu& gpu, const KnownSlice& slice);

/// "NVIDIA H100 MIG 1g.10gb" contains its profile after the GPU; empty for a whole GPU.
std::string profile_in(const std::string& name);

}  // namespace kernelbatch::cuda
