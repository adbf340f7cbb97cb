// Arrays from NumPy's .npz archives (ZIP files of .npy members).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// Names of the arrays in an archive, in its order, without ".npy". Throws SpecError.
std::vector<std::string> npz_names(const std::filesystem::path& path);

/// One array of an archive, stored or deflated. Throws SpecError naming the file and what is wrong:
/// no archive, no such array (with the nearest name), truncated, damaged (its CRC differs).
Array read_npz(const std::filesystem::path& path, const std::string& name);

/// Dtype and shape of an array of an archive, of which only the beginning is unpacked. Throws as
/// read_npz(), but for what is damaged further on.
ArrayForm npz_form(const std::filesystem::path& path, const std::string& name);

}  // namespace kernelbatch
