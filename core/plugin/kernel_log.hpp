// What a variant's kernels cost before they ran: for the harness, which knows plugins but not
// kernels.
#pragma once

#include "core/kernel/program.hpp"

namespace kernelbatch {

/// Compiles, loads and kernels of this process since the last call.
ProgramLog take_kernel_log();

}  // namespace kernelbatch
