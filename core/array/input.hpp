// Arrays from files.
#pragma once

#include <filesystem>

#include "core/array/array.hpp"

namespace kernelbatch {

/// A host array from a NumPy .npy file (versions 1 to 3, C or Fortran order, either byte order).
/// Throws SpecError naming the file and what is wrong with it: not a .npy, truncated, a dtype that
/// arrays here cannot have.
Array read_npy(const std::filesystem::path& path);

}  // namespace kernelbatch
