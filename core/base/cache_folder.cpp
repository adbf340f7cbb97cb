#include "core/base/cache_folder.hpp"

#include <unistd.h>

#include "core/base/process.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

bool is_writable_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::optional<fs::path> cache_folder() {
  if (const auto named = environment("KERNELBATCH_CACHE_DIR")) return *named;
  if (const auto cache = environment("XDG_CACHE_HOME")) return fs::path(*cache) / "kernelbatch";
  const auto home = environment("HOME");
  if (!home) return std::nullopt;
  const fs::path folder = fs::path(*home) / ".cache" / "kernelbatch";
  std::error_code error;
  for (const fs::path& existing : {folder, folder.parent_path(), fs::path(*home)})
    if (fs::exists(existing, error))
      return is_writable_folder(existing) ? std::optional(folder) : std::nullopt;
  return std::nullopt;
}

}  // namespace kernelbatch
