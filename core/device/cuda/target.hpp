// Properties of a GPU that follow from its architecture.
#pragma once

#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

inline constexpr std::string_view kTargetForm = "sm_NN";

/// "sm_90"; also "sm_90a" and "sm_100f", which have additional instructions.
bool is_target(std::string_view text);

/// Properties that every GPU of this backend has.
DeviceProperties common_properties();

/// Sets the layout of generated loops on a GPU from its other properties. Equal for a real GPU and
/// for a compile-only target.
void set_loop_geometry(DeviceProperties& properties);

/// Changes a GPU's properties to those of a part with this number of SMs.
void keep_units(DeviceProperties& properties, int units);

/// Properties for a text that is_target(), as the driver reports them for the largest GPU of that
/// architecture; names, UUIDs and clocks stay empty. `compute_units` = 0 takes that GPU's number of
/// SMs. Throws SpecError for an architecture before sm_75.
DeviceProperties target_properties(std::string_view target, int compute_units);

}  // namespace kernelbatch::cuda
