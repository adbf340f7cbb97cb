// Selects the headers that kernels include as kernelbatch/device.hpp, for each source.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/compile_options.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// One header; `name` is its name in an #include.
struct PreludeFile {
  std::string name, text;
};

/// A separate header and the words that request it; `*` at a word's end matches any rest. The views
/// are of texts that are never destroyed.
struct PreludePart {
  std::string_view name, text;
  std::vector<std::string_view> words;
};

/// A name provided at file scope unless the text declares it itself.
struct PreludeName {
  std::string_view name, declaration;
};

/// The user's macros, and the text with its original line numbers.
std::string with_macros(const std::string& name, const SplitOptions& options,
                        std::string_view text);

/// The headers of one backend and those common to all.
class Prelude {
 public:
  struct Own {
    std::vector<PreludeFile> files;  ///< device.hpp first
    std::vector<PreludePart> parts;
    std::vector<PreludeName> names = {};
    /// Path and text of headers that a source gets if it includes them, directly or through another
    /// header, or uses a word listed in the header's comment before its `#pragma once`: `// Asked
    /// for by: __vadd* __vsub2`. The list may span lines until one that ends with a full stop or is
    /// not a comment.
    std::vector<std::pair<std::string_view, std::string_view>> headers = {};
    /// The compiler has its own headers for texts that include headers not available here: such a
    /// text gets no C or C++ header from here, which would conflict with the others.
    bool has_other_headers = false;
  };
  /// Adds the headers common to all backends.
  explicit Prelude(Own own);

  /// The compiled text: device.hpp, the user's macros, and the text with its original line numbers.
  static std::string with_prelude(const std::string& name, const SplitOptions& options,
                                  std::string_view text);

  /// Headers that this source needs. device.hpp ends with includes of the parts that it uses:
  /// reading all of them would cost every kernel more than its compilation. A text may include any
  /// part itself.
  std::vector<PreludeFile> files_for(const KernelSource& source) const;

  /// Headers of CUDA, its libraries and C++ that texts can include, by name.
  std::vector<std::string_view> header_names() const;

  /// Hash of all possible results of files_for(): part of a compiler's identity.
  const std::string& hash() const noexcept { return hash_; }

 private:
  std::vector<PreludeFile> files_;  // what every source gets, device.hpp first
  std::vector<PreludePart> parts_;
  struct Header {
    std::string_view text;
    std::vector<std::string_view> words;     ///< words that request it
    std::vector<std::string_view> includes;  ///< headers named in its text
    bool is_standard = false;                ///< of C or C++
  };
  /// True if a source gets headers of C and C++ from here.
  bool gives_standard(const KernelSource& source, const SplitOptions& options,
                      const std::vector<std::string_view>& included) const;
  void add_headers(std::vector<PreludeFile>& files, std::vector<std::string_view> included,
                   bool with_standard) const;

  std::vector<PreludeName> names_;
  std::map<std::string_view, Header> headers_;
  bool has_other_headers_;
  std::string hash_;
};

}  // namespace kernelbatch
