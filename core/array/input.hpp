// Reads arrays from files.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A host array from a NumPy .npy file (versions 1 to 3, C or Fortran order, either byte order).
/// Throws SpecError with the file and the problem: not a .npy file, truncated, an unsupported
/// dtype.
Array read_npy(const std::filesystem::path& path);

/// The same from bytes in memory; `name` is the file's name in errors.
Array parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// Dtype and shape of a .npy file, read only from its header.
ArrayForm npy_form(const std::filesystem::path& path);
/// The same from the first bytes of a file; `name` is for messages.
ArrayForm parse_npy_form(std::span<const std::byte> bytes, const std::string& name);

}  // namespace kernelbatch
