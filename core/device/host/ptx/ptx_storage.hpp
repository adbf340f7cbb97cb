// Types of PTX's variables, parameters and results in C++.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/host/ptx/ptx_code.hpp"
#include "core/device/host/ptx/ptx_module.hpp"
#include "core/device/host/ptx/ptx_types.hpp"

namespace kernelbatch::host {

/// Arrays of functions' parameters have one alignment, so that a call's variables have their types.
constexpr std::size_t kCallAlignment = 16;

/// Throws UnsupportedError for a type that the host device lacks.
const PtxType& known_type(const PtxVariable& variable);

/// The unsigned integer of this width.
std::string_view word_of(int bits);

/// Type of a variable in memory, a parameter or a result.
std::string storage(const PtxVariable& variable, std::size_t least_alignment = 1);

std::string result_type(const std::vector<PtxVariable>& results);

/// Variable that limits the threads of a block of entry `number` of a library: x, y, z, and whether
/// exactly these are required. Empty if the entry has no limit.
std::string block_limit(const PtxModule& module, const std::string& entry, std::size_t number);

}  // namespace kernelbatch::host
