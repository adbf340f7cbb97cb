// The identity of a compiled kernel: everything that can change its code.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch {

/// A key, and whether processes may share what is stored under it.
struct CacheKey {
  std::string digest;  ///< 32 hexadecimal digits
  /// False where an `#include` names its header by a macro: its content cannot be told without a
  /// preprocessor, so the kernel is compiled once by every process.
  bool is_shareable = true;
};

/// Key of a source for a compiler: source, entries, options in one spelling, target, the compiler's
/// identity, and the contents of every header that the source includes, directly or not, by way of
/// quotes, -I options, CPATH or CPLUS_INCLUDE_PATH. Where a name is found in several folders all of
/// them count. Headers found nowhere are the compiler's own, and its identity stands for them.
/// Where a folder lies does not count, so a cache may be shared between installations.
CacheKey make_cache_key(const KernelSource& source, const Compiler& compiler);

/// The digest alone.
std::string cache_key(const KernelSource& source, const Compiler& compiler);

/// Name and content hash of each header that counts in the key of such a text and its options,
/// headers that are found in several folders once for each. `folder` is where the text lies.
std::vector<std::pair<std::string, std::string>> header_hashes(
    std::string_view text, const std::vector<std::string>& options,
    const std::filesystem::path& folder);

/// What one text includes: `"a.h"` and `<b.h>` without their quotes. A name of a macro gives an
/// empty entry.
std::vector<std::string> included_names(std::string_view text);

}  // namespace kernelbatch
