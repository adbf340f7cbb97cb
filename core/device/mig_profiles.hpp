// MIG profiles of whole GPUs, from NVIDIA's MIG user guide: to estimate a slice without having one.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

struct MigProfile {
  std::string name;       ///< 2g.20gb
  int compute_units = 0;  ///< SMs
  double compute = 1;     ///< share of the GPU's compute slices: 2/7
  double memory = 1;      ///< share of its memory, memory bandwidth and L2 cache: 2/8
};

/// Profiles that this GPU offers in MIG mode, from the smallest. Empty if it is a slice itself, or
/// if its profiles are unknown.
std::vector<MigProfile> mig_profiles(const DeviceProperties& gpu);

}  // namespace kernelbatch
