#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/device/capture.hpp"
#include "core/device/cuda/capture/settings.hpp"
#include "core/device/cuda/toolkit.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

fs::path capture_library() {
  const fs::path program = executable_path().parent_path();
  const char* const name = "libkernelbatch_capture.so";
  for (const fs::path& folder : {program.parent_path() / "lib", program / "lib", program})
    if (std::error_code ignored; fs::exists(folder / name, ignored)) return folder / name;
  throw EnvironmentError(fmt::format(
      "there is no '{}' in {} or next to the command: kernelbatch was built without CUDA", name,
      (program.parent_path() / "lib").string()));
}

/// CUPTI of a toolkit; empty if the loader has to find it.
std::string cupti_path() {
  for (const fs::path& folder : cuda::toolkit_folders()) {
    const fs::path file = folder / "extras" / "CUPTI" / "lib64" / "libcupti.so";
    if (std::error_code ignored; fs::exists(file, ignored)) return file.string();
  }
  for (const std::string& name : cuda::library_candidates({"libcupti.so.13", "libcupti.so.12"}))
    if (std::error_code ignored; name.starts_with('/') && fs::exists(name, ignored)) return name;
  return "";
}

}  // namespace

Variables capture_variables(const CaptureRequest& request) {
  const fs::path library = capture_library();
  const fs::path settings = request.folder / "settings.json";
  write_file_atomically(settings, capture::to_json({.folder = request.folder.string(),
                                                    .kernel = request.kernel,
                                                    .cupti = cupti_path(),
                                                    .nth = request.nth,
                                                    .count = request.count,
                                                    .limit = request.limit,
                                                    .is_distinct = request.is_distinct,
                                                    .has_range = request.has_range,
                                                    .has_graphs = request.has_graphs,
                                                    .is_deep = request.is_deep}));
  return {{"CUDA_INJECTION64_PATH", library.string()},
          {capture::kSettingsVariable, settings.string()}};
}

}  // namespace kernelbatch
