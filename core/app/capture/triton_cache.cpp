#include "core/app/capture/triton_cache.hpp"

#include <filesystem>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/process.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) { return environment(name).value_or(""); }

/// Folders that contain one folder for each kernel, or folders of these.
std::vector<fs::path> cache_folders() {
  std::vector<fs::path> folders;
  const std::string triton = variable("TRITON_CACHE_DIR"), home = variable("TRITON_HOME"),
                    inductor = variable("TORCHINDUCTOR_CACHE_DIR");
  folders.push_back(!triton.empty()
                        ? fs::path(triton)
                        : fs::path(home.empty() ? variable("HOME") : home) / ".triton/cache");
  folders.push_back(!inductor.empty() ? fs::path(inductor) / "triton"
                                      : fs::temp_directory_path() /
                                            ("torchinductor_" + variable("USER")) / "triton");
  return folders;
}

}  // namespace

std::string ptx_in_triton_cache(const std::string& kernel, const std::string& cubin) {
  constexpr int kDeepest = 3;
  std::error_code error;
  for (const fs::path& folder : cache_folders()) {
    fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                             error);
    for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
      if (entries.depth() >= kDeepest) entries.disable_recursion_pending();
      const fs::path& file = entries->path();
      if (file.filename() != kernel + ".cubin" || entries->file_size(error) != cubin.size() ||
          read_file(file) != cubin)
        continue;
      fs::path ptx = file;
      ptx.replace_extension(".ptx");
      if (fs::exists(ptx, error)) return read_file(ptx);
    }
    error.clear();
  }
  return "";
}

}  // namespace kernelbatch::app
