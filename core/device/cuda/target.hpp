// What is known of a GPU from its architecture alone.
#pragma once

#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

inline constexpr std::string_view kTargetForm = "sm_NN";

/// "sm_90"; "sm_90a" and "sm_100f" are such with instructions of their own.
bool is_target(std::string_view text);

/// Those that every GPU of this backend has.
DeviceProperties common_properties();

/// Fills in how generated loops are laid out on a GPU, from its other properties: the same for a
/// GPU that is there and for one that is only compiled for.
void set_loop_geometry(DeviceProperties& properties);

/// Properties of a text that is_target(), as the driver would give them for the largest GPU of that
/// architecture; names, UUIDs and clocks stay empty. `compute_units` = 0 takes that GPU's number of
/// SMs. Throws SpecError for an architecture before sm_75.
DeviceProperties target_properties(std::string_view target, int compute_units);

}  // namespace kernelbatch::cuda
