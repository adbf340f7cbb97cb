// The compile worker: loads plugins and compiles what their variants launch. Runs no kernel.
#pragma once

#include <string>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Serves case requests on a connected socket until the other end closes it, saying for each
/// variant `phase`, then `built` with the outcome, and at the end `case_done` or `failed`. Returns
/// the exit code.
int run_compile_worker(int socket);

/// Properties that a compile target stands for: "host", "cuda:0" (a GPU of this machine), "sm_90",
/// or "sm_90:66" for one with another number of SMs. Throws SpecError, DeviceError.
DeviceProperties compile_target(const std::string& target);

}  // namespace kernelbatch
