// Locations of the CUDA Toolkit's files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelbatch::cuda {

/// Folders of a toolkit: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, in this order.
std::vector<std::filesystem::path> toolkit_folders();

/// File names to try when opening a library: the loader's own search first, then every folder.
std::vector<std::string> library_candidates(const std::vector<std::string>& names);

/// nvcc: $NVCC, a toolkit's bin folder, PATH. Nothing if not found.
std::optional<std::filesystem::path> find_nvcc();

/// A file in the toolkit's library folders or in the folder of the library `beside`.
std::optional<std::filesystem::path> find_library_file(const std::string& name,
                                                       const std::filesystem::path& beside);

}  // namespace kernelbatch::cuda
