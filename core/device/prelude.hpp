// The headers that kernels include as kernelbatch/device.hpp, chosen for each source.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
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
    std::vector<PreludeName> names = {};
    /// Path and text of headers that a source gets if it includes them, by itself or by another
    /// header, or uses a word that the header says it is asked for by, in a comment before its
    /// `#pragma once`: `// Asked for by: __vadd* __vsub2`, over several lines until one that ends
    /// with a full stop or is no comment.
    std::vector<std::pair<std::string_view, std::string_view>> headers = {};
    /// The compiler has headers of its own for texts that include more than is here: such a text
    /// gets none of C and C++ from here, which would not fit the others.
    bool has_other_headers = false;
  };
  /// With the headers that all backends have.
  explicit Prelude(Own own);

  /// What is compiled: device.hpp, the user's macros, and the text with its own line numbers.
  static std::string with_prelude(const std::string& name, const SplitOptions& options,
                                  std::string_view text);

  /// Those that this source needs. device.hpp ends with includes of the parts that it uses: reading
  /// all of them would cost every kernel more than compiling it does. A text may include any part
  /// itself.
  std::vector<PreludeFile> files_for(const KernelSource& source) const;

  /// Headers of CUDA, of its libraries and of C++ that texts can include here, by name.
  std::vector<std::string_view> header_names() const;

  /// Hash of everything that files_for() can give: part of a compiler's identity.
  const std::string& hash() const noexcept { return hash_; }

 private:
  std::vector<PreludeFile> files_;  // what every source gets, device.hpp first
  std::vector<PreludePart> parts_;
  struct Header {
    std::string_view text;
    std::vector<std::string_view> words;     ///< those that ask for it
    std::vector<std::string_view> includes;  ///< headers named in its text
    bool is_standard = false;                ///< of C or C++
  };
  /// Whether a source gets headers of C and C++ from here.
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
