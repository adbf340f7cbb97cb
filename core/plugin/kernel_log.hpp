// What a variant's kernels cost before they ran: for the harness, which knows plugins but not
// kernels.
#pragma once

#include <filesystem>
#include <optional>

#include "core/kernel/program.hpp"

namespace kernelbatch {

/// Compiles, loads and kernels of this process since the last call.
ProgramLog take_kernel_log();

/// Where this user's compiled kernels are kept; nothing where they are kept nowhere.
std::optional<std::filesystem::path> kernel_cache_folder();

}  // namespace kernelbatch
