// CUPTI's library, opened at run time.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>

#include "core/base/shared_library.hpp"

namespace kernelbatch::cuda {

/// The library, or why it cannot be used.
struct CuptiLibrary {
  std::optional<SharedLibrary> file;
  std::string path;    ///< of the file; empty if there is none
  std::string reason;  ///< empty if it can be used

  /// Sets `function` to the library's function of that name, or to null. The first missing name is
  /// stored in `lack`.
  template <class Function>
  void find(Function& function, const char* name, std::string& lack) const {
    function = reinterpret_cast<std::remove_reference_t<Function>>(file->find(name));
    if (function == nullptr && lack.empty()) lack = fmt::format("{} lacks {}", path, name);
  }
};

/// Opens it on the first call. One per process: it cannot be opened twice, and a refusal is
/// permanent.
const CuptiLibrary& cupti_library();

/// True if KERNELBATCH_CUPTI=0 disables CUPTI.
bool is_cupti_off();

}  // namespace kernelbatch::cuda
