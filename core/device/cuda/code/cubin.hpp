// Reading a cubin without a driver: its kernels' parameters and its variables.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Bytes of each parameter of a kernel, in order. Nothing if the bytes are not a cubin or have no
/// kernel of that (mangled) name.
std::optional<std::vector<std::size_t>> cubin_parameters(std::string_view cubin,
                                                         std::string_view kernel);

/// Bytes of a __device__ or __constant__ variable.
std::optional<std::size_t> cubin_variable(std::string_view cubin, std::string_view name);

/// A module for inspection: its kernels know their parameters and cannot be launched; its variables
/// have an address that must not be used. Throws SpecError if the bytes are not a cubin.
std::unique_ptr<Module> inspect_cubin(const Image& image);

}  // namespace kernelbatch::cuda
