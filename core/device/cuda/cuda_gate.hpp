// The gate of a GPU: one thread that waits for the host.
#pragma once

#include <memory>

#include "core/device/gate.hpp"

namespace kernelbatch::cuda {

std::unique_ptr<Gate> make_gate(Device& device);

}  // namespace kernelbatch::cuda
