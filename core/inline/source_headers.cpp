#include "core/inline/source_headers.hpp"

#include "core/kernel/program/cache_key.hpp"

namespace kernelbatch {

std::vector<std::pair<std::string, std::string>> source_headers(
    std::string_view text, const std::vector<std::string>& options,
    const std::filesystem::path& folder) {
  return header_hashes(text, options, folder);
}

}  // namespace kernelbatch
