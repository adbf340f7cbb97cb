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
  std::string path;    ///< of the file; empty where there is none
  std::string reason;  ///< empty where it can be used

  /// Sets `function` to the library's of that name, or to null. The first that is missing becomes
  /// the `lack`.
  template <class Function>
  void find(Function& function, const char* name, std::string& lack) const {
    function = reinterpret_cast<std::remove_reference_t<Function>>(file->find(name));
    if (function == nullptr && lack.empty()) lack = fmt::format("{} lacks {}", path, name);
  }
};

/// Opens it on the first call. One per process: it cannot be opened twice, and what it refused it
/// refuses again.
const CuptiLibrary& cupti_library();

/// Whether KERNELBATCH_CUPTI=0 keeps it out.
bool is_cupti_off();

}  // namespace kernelbatch::cuda
