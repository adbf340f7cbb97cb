// Headers included by the texts of inline kernels.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelbatch {

/// Name and content hash of each header that a kernel's text or its options include, directly or
/// not, and that is found with the compiler's search order (kernel/cache_key.hpp). `folder` is the
/// text's.
std::vector<std::pair<std::string, std::string>> source_headers(
    std::string_view text, const std::vector<std::string>& options,
    const std::filesystem::path& folder);

}  // namespace kernelbatch
