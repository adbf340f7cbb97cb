// Reads arrays from NumPy's .npz archives (ZIP files of .npy members).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// Names of the arrays in an archive, in order, without ".npy". Throws SpecError.
std::vector<std::string> npz_names(const std::filesystem::path& path);

/// Reads one array of an archive, stored or deflated. Throws SpecError with the file and the
/// problem: not an archive, no such array (with the nearest name), truncated, damaged (its CRC
/// differs).
Array read_npz(const std::filesystem::path& path, const std::string& name);

/// Dtype and shape of an array in an archive; only its beginning is unpacked. Throws like
/// read_npz(), except for damage further on.
ArrayForm npz_form(const std::filesystem::path& path, const std::string& name);

}  // namespace kernelbatch
