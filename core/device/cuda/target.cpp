#include "core/device/cuda/target.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/device/cuda/cuda_backend.hpp"

namespace kernelbatch::cuda {
namespace {

/// CUDA Programming Guide, "Technical Specifications per Compute Capability", and the number of SMs
/// of the largest GPU sold.
struct Architecture {
  int capability;  ///< 90 = 9.0
  int units;
  int threads_per_unit;
  int shared_kib;  ///< of one SM; a block can use 1 KiB less, which the system reserves
  int memory_gib;
};
constexpr std::array kArchitectures{
    Architecture{75, 72, 1024, 64, 48},     Architecture{80, 108, 2048, 164, 80},
    Architecture{86, 84, 1536, 100, 48},    Architecture{87, 16, 1536, 164, 64},
    Architecture{88, 16, 1536, 100, 64},    Architecture{89, 142, 1536, 100, 48},
    Architecture{90, 132, 2048, 228, 141},  Architecture{100, 148, 2048, 228, 186},
    Architecture{103, 148, 2048, 228, 279}, Architecture{110, 20, 1536, 228, 128},
    Architecture{120, 188, 1536, 100, 96},  Architecture{121, 48, 1536, 100, 128},
};

/// 90 for "sm_90a"; nothing if the text is not a target.
std::optional<int> capability_in(std::string_view target) {
  constexpr std::string_view kPrefix = "sm_";
  if (!target.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = target.substr(kPrefix.size());
  unsigned capability = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), capability);
  const std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
  if (error != std::errc{} || !(rest.empty() || rest == "a" || rest == "f")) return std::nullopt;
  return static_cast<int>(capability);
}

}  // namespace

bool is_target(std::string_view text) { return capability_in(text).has_value(); }

DeviceProperties common_properties() {
  DeviceProperties p;
  p.backend = &kBackend;
  p.is_gpu = true;
  p.is_asynchronous = true;
  p.is_lost_by_crash = true;
  p.has_cuda_libraries = true;
  return p;
}

void set_loop_geometry(DeviceProperties& properties) {
  properties.loop_block = 256;
  properties.loop_lanes = properties.warp_size;
  properties.loop_blocks =
      properties.compute_units * (properties.max_threads_per_unit / properties.loop_block);
  properties.vector_bytes = 16;
  properties.streams_per_thread = 4;
}

void keep_units(DeviceProperties& properties, int units) {
  properties.name += fmt::format(", {} of {} SMs", units, properties.compute_units);
  properties.compute_units = units;
  set_loop_geometry(properties);
}

DeviceProperties target_properties(std::string_view target, int compute_units) {
  const int capability = capability_in(target).value();
  const Architecture* found = nullptr;
  for (const Architecture& each : kArchitectures)
    if (each.capability <= capability) found = &each;
  if (found == nullptr)
    throw SpecError(
        fmt::format("target '{}' is too old: sm_75 is the first that is supported", target));
  DeviceProperties p = common_properties();
  p.name = fmt::format("{} (to compile for)", target);
  p.target = target;
  p.compute_units = compute_units > 0 ? compute_units : found->units;
  p.capability_major = capability / 10;
  p.capability_minor = capability % 10;
  p.memory = static_cast<std::size_t>(found->memory_gib) << 30;
  p.max_threads_per_block = 1024;
  p.max_threads_per_unit = found->threads_per_unit;
  p.shared_per_block = std::size_t{48} << 10;
  p.shared_per_unit = static_cast<std::size_t>(found->shared_kib) << 10;
  // The first generation has no memory reserved by the system.
  p.shared_per_block_optin = p.shared_per_unit - (found->capability == 75 ? 0 : 1024);
  set_loop_geometry(p);
  return p;
}

}  // namespace kernelbatch::cuda
