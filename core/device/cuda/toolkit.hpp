// Where the CUDA Toolkit's files are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelbatch::cuda {

/// Folders of a toolkit: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, in this order.
std::vector<std::filesystem::path> toolkit_folders();

/// Names under which to open a library: the loader's own search first, then every folder.
std::vector<std::string> library_candidates(const std::vector<std::string>& names);

/// nvcc: $NVCC, a toolkit's bin folder, PATH. Nothing where there is none.
std::optional<std::filesystem::path> find_nvcc();

/// A file of the toolkit's library folders, or beside the library `beside`.
std::optional<std::filesystem::path> find_library_file(const std::string& name,
                                                       const std::filesystem::path& beside);

}  // namespace kernelbatch::cuda
