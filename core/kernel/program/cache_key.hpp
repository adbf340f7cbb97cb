// The identity of a compiled kernel: everything that can change its code.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// A key, and whether processes may share the stored result.
struct CacheKey {
  std::string digest;  ///< 32 hexadecimal digits
  /// False if an `#include` names its header by a macro: its content is unknown without a
  /// preprocessor, so every process compiles the kernel itself.
  bool is_shareable = true;
};

/// Key of a source for a compiler: source, entries, options in canonical spelling, target, the
/// compiler's identity, and the contents of every header that the source includes, directly or not,
/// through quotes, -I options, CPATH or CPLUS_INCLUDE_PATH. If a name exists in several folders,
/// all of them count. Headers found in none are the compiler's own, and are covered by its
/// identity. Paths of folders do not count, so that installations can share a cache.
CacheKey make_cache_key(const KernelSource& source, const Compiler& compiler);

/// Only the digest.
std::string cache_key(const KernelSource& source, const Compiler& compiler);

/// Name and content hash of each header that counts in the key of such a text and its options; a
/// header found in several folders has an entry for each. `folder` contains the text.
std::vector<std::pair<std::string, std::string>> header_hashes(
    std::string_view text, const std::vector<std::string>& options,
    const std::filesystem::path& folder);

/// Included names of a text: `"a.h"` and `<b.h>` without their quotes. A macro as a name gives an
/// empty entry.
std::vector<std::string> included_names(std::string_view text);

}  // namespace kernelbatch
