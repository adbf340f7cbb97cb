// PtxSources: PTX among the code that the program gives to the driver.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/fatbin.hpp"

namespace kernelbatch::capture {

/// A part of a fat binary, or a text, that outlives the program's copy.
struct Ptx {
  std::string stored;      ///< possibly compressed
  fatbin::Part part = {};  ///< without `stored`
};

class PtxSources {
 public:
  /// `owner` is the module or library that was loaded from `code`: a null-terminated PTX text, a
  /// fat binary or a cubin.
  void add(const void* owner, const void* code);
  /// A text that the program links with others.
  void add_text(std::string_view text);
  /// PTX of the module or library for at most this compute capability (90); if they have none,
  /// texts with this kernel.
  std::vector<Ptx> find(const void* module, const void* library, const std::string& kernel,
                        unsigned capability) const;

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::vector<Ptx>> by_owner_;
  std::vector<Ptx> texts_;
};

}  // namespace kernelbatch::capture
