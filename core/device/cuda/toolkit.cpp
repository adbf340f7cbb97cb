#include "core/device/cuda/toolkit.hpp"

#include "core/base/process.hpp"

namespace kernelbatch::cuda {
namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  constexpr auto kExecute = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return !error && fs::is_regular_file(status) &&
         (status.permissions() & kExecute) != fs::perms::none;
}

}  // namespace

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto home = environment(variable)) folders.emplace_back(*home);
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::vector<std::string> library_candidates(const std::vector<std::string>& names) {
  std::vector<std::string> candidates = names;
  for (const fs::path& folder : toolkit_folders())
    for (const char* library : {"lib64", "lib"})
      for (const std::string& name : names) candidates.push_back(folder / library / name);
  return candidates;
}

std::optional<fs::path> find_nvcc() {
  // If the variable is set, only that path is used.
  if (const auto named = environment("NVCC")) {
    if (is_program(*named)) return *named;
    return find_program(*named);
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto home = environment(variable))
      if (const fs::path path = fs::path(*home) / "bin" / "nvcc"; is_program(path)) return path;
  if (const auto path = find_program("nvcc")) return path;
  if (const fs::path path = "/usr/local/cuda/bin/nvcc"; is_program(path)) return path;
  return std::nullopt;
}

std::optional<fs::path> find_library_file(const std::string& name, const fs::path& beside) {
  std::vector<fs::path> folders{beside.parent_path()};
  for (const fs::path& toolkit : toolkit_folders())
    for (const char* library :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      folders.push_back(toolkit / library);
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, ignored)) return folder / name;
  return std::nullopt;
}

}  // namespace kernelbatch::cuda
