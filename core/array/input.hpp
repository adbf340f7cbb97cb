// Arrays from files.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A host array from a NumPy .npy file (versions 1 to 3, C or Fortran order, either byte order).
/// Throws SpecError naming the file and what is wrong with it: not a .npy, truncated, a dtype that
/// arrays here cannot have.
Array read_npy(const std::filesystem::path& path);

/// The same from bytes in memory; `name` stands for the file in errors.
Array parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// Dtype and shape of a .npy file, from its header alone.
ArrayForm npy_form(const std::filesystem::path& path);
/// The same of the first bytes of a file; `name` is for messages.
ArrayForm parse_npy_form(std::span<const std::byte> bytes, const std::string& name);

}  // namespace kernelbatch
