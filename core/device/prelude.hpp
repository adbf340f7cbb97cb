// The headers that kernels include as kernelbatch/device.hpp, chosen for each source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/device/compile_options.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// One header; `name` is what an #include says.
struct PreludeFile {
  std::string name, text;
};

/// A header of its own and the words that ask for it; `*` at a word's end stands for any rest. The
/// views are of texts that are never destroyed.
struct PreludePart {
  std::string_view name, text;
  std::vector<std::string_view> words;
};

/// A name that texts find at file scope, unless they declare it themselves.
struct PreludeName {
  std::string_view name, declaration;
};

/// The user's macros, and the text with its own line numbers.
std::string with_macros(const std::string& name, const SplitOptions& options,
                        std::string_view text);

/// The headers of one backend: its own, and those that all backends share.
class Prelude {
 public:
  struct Own {
    std::vector<PreludeFile> files;  ///< device.hpp first
    std::vector<PreludePart> parts;
    std::vector<PreludeFile> stand_ins = {};  ///< for headers of CUDA that are not there
    std::vector<PreludeName> names = {};
  };
  explicit Prelude(Own own);

  /// What is compiled: device.hpp, the user's macros, and the text with its own line numbers.
  static std::string with_prelude(const std::string& name, const SplitOptions& options,
                                  std::string_view text);

  /// All of them. device.hpp ends with includes of the parts that this source uses: reading all of
  /// them would cost every kernel more than compiling it does. A text may include any part itself.
  std::vector<PreludeFile> files_for(const KernelSource& source) const;

  /// Hash of everything that files_for() can give: part of a compiler's identity.
  const std::string& hash() const noexcept { return hash_; }

 private:
  std::vector<PreludeFile> files_;  // what every source gets, device.hpp first
  std::vector<PreludePart> parts_;
  std::vector<PreludeName> names_;
  std::string hash_;
};

}  // namespace kernelbatch
