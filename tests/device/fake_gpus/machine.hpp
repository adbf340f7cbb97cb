// Fake GPUs and slices, shared by the two fake libraries. FAKE_GPUS selects the machine; figures
// are those of NVIDIA's MIG guide for the H100 80GB.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fake {

struct Slice {
  std::string uuid, profile;
  unsigned gpu_instance = 0, compute_instance = 0, place = 0;
  unsigned multiprocessors = 0;
  unsigned long long memory_mib = 0;
};

struct Gpu {
  std::string uuid, name, pci;
  bool is_mig = false, can_mig = true;
  std::vector<Slice> slices;
};

/// Machine selected by FAKE_GPUS: seven (1g.10gb x 7), small (A100 40GB: 2g.10gb x 3), pairs
/// (2g.20gb x 3), halves (3g.40gb x 2), mixed (two GPUs), beside (one GPU with slices, one
/// without), empty (MIG without a slice), whole (two GPUs), refused (slices, but no permission).
const std::vector<Gpu>& machine();

/// True if FAKE_GPUS contains this word.
bool is_set(std::string_view word);

}  // namespace fake
