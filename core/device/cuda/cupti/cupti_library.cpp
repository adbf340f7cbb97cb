#include "core/device/cuda/cupti/cupti_library.hpp"

#include "core/base/process.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>

#include <vector>

#include "core/device/cuda/toolkit.hpp"
#endif

namespace kernelbatch::cuda {
namespace {

#if __has_include(<cupti.h>)

/// Major version 11, 12 or 13 from a version number, which has two numbering schemes.
unsigned generation(std::uint32_t version) { return version >= 100000 ? version / 10000 : 0; }

CuptiLibrary open_cupti() {
  CuptiLibrary library;
  std::vector<std::string> names = library_candidates({"libcupti.so.13", "libcupti.so.12"});
  for (const auto& folder : toolkit_folders())
    names.push_back((folder / "extras" / "CUPTI" / "lib64" / "libcupti.so").string());
  for (const std::string& name : names)
    if (!library.file)
      library.file = SharedLibrary::try_open(name, SharedLibrary::Lifetime::kProcess);
  if (!library.file) {
    library.reason = "CUPTI is not there (libcupti.so)";
    return library;
  }
  library.path = library.file->path().string();
  decltype(&cuptiGetVersion) get_version = nullptr;
  library.find(get_version, "cuptiGetVersion", library.reason);
  if (get_version == nullptr) return library;
  std::uint32_t version = 0;
  if (get_version(&version) != CUPTI_SUCCESS)
    library.reason = "CUPTI does not report its version";
  else if (generation(CUPTI_API_VERSION) > 0 && generation(version) > 0 &&
           generation(version) > generation(CUPTI_API_VERSION))
    library.reason =
        fmt::format("CUPTI is of CUDA {}, newer than what kernelbatch knows", generation(version));
  return library;
}

#else  // a toolkit without CUPTI's headers

CuptiLibrary open_cupti() {
  CuptiLibrary library;
  library.reason = "this kernelbatch was built without CUPTI's headers";
  return library;
}

#endif

}  // namespace

const CuptiLibrary& cupti_library() {
  static const CuptiLibrary library = open_cupti();
  return library;
}

bool is_cupti_off() { return environment("KERNELBATCH_CUPTI") == "0"; }

}  // namespace kernelbatch::cuda
