// Counting the instructions of a kernel in its machine code (SASS), without a disassembler.
#pragma once

#include <optional>
#include <string_view>

#include "core/device/instruction_mix.hpp"

namespace kernelbatch::cuda {

/// Instructions of the function `kernel` (mangled) of a cubin for `target`, sm_75 or later. Nothing
/// if the bytes are not a cubin (a fatbin, PTX) or have no such kernel.
std::optional<InstructionMix> instruction_mix(std::string_view cubin, std::string_view kernel,
                                              std::string_view target);

}  // namespace kernelbatch::cuda
