#include "core/device/mig_profiles.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

namespace kernelbatch {
namespace {

struct Part {
  int compute_slices, memory_slices, units;
};

/// GPUs with the same division.
struct Family {
  int capability, units;  ///< 90, SMs of the whole GPU
  int compute_slices, memory_slices;
  std::initializer_list<int> sizes;  ///< GB in the profiles' names
  std::initializer_list<Part> parts;
};

constexpr Family kFamilies[] = {
    {80,
     108,
     7,
     8,
     {40, 80},  // A100
     {{1, 1, 14}, {1, 2, 14}, {2, 2, 28}, {3, 4, 42}, {4, 4, 56}, {7, 8, 98}}},
    {80,
     56,
     4,
     4,
     {24},  // A30
     {{1, 1, 14}, {2, 2, 28}, {4, 4, 56}}},
    {90,
     132,
     7,
     8,
     {80, 96, 141},  // H100 SXM, GH200, H200
     {{1, 1, 16}, {1, 2, 16}, {2, 2, 32}, {3, 4, 60}, {4, 4, 64}, {7, 8, 132}}}};

/// The nominal size nearest to the memory, of which the driver reports a little less.
int nominal_size(const Family& family, std::size_t memory) {
  const double gib = static_cast<double>(memory) / (1u << 30);
  int best = *family.sizes.begin();
  for (const int size : family.sizes)
    if (std::abs(size - gib) < std::abs(best - gib)) best = size;
  return best;
}

}  // namespace

std::vector<MigProfile> mig_profiles(const DeviceProperties& gpu) {
  std::vector<MigProfile> profiles;
  if (!gpu.mig_profile.empty()) return profiles;
  const int capability = 10 * gpu.capability_major + gpu.capability_minor;
  for (const Family& family : kFamilies) {
    if (family.capability != capability || family.units != gpu.compute_units) continue;
    const int size = nominal_size(family, gpu.memory);
    for (const Part& part : family.parts) {
      const double memory = static_cast<double>(part.memory_slices) / family.memory_slices;
      profiles.push_back(
          {.name = fmt::format("{}g.{:.0f}gb", part.compute_slices, std::round(size * memory)),
           .compute_units = part.units,
           .compute = static_cast<double>(part.compute_slices) / family.compute_slices,
           .memory = memory});
    }
  }
  return profiles;
}

}  // namespace kernelbatch
