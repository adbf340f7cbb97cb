// Cache of reference outputs on disk, so that a reference runs once for the same inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/array/array.hpp"

namespace kernelbatch {

/// `references` in the kernel cache's folder; nothing if there is none, or if
/// KERNELBATCH_REFERENCE_CACHE is 0.
std::optional<std::filesystem::path> reference_folder();

/// KERNELBATCH_REFERENCE_CACHE if it is a size ("4 GiB"), by default 1 GiB. Throws SpecError naming
/// the variable.
std::uint64_t reference_limit();

/// Host arrays by output. Nothing for a missing or damaged entry, or one with another key: the
/// caller runs the reference.
std::optional<std::map<std::string, Array>> load_reference(const std::filesystem::path& folder,
                                                           const std::string& key);

/// Stores them atomically, then removes the least recently used entries until the folder is within
/// `limit`. Arrays that would fill more than a quarter of it are not stored. A folder that cannot
/// be written is no error.
void store_reference(const std::filesystem::path& folder, const std::string& key,
                     const std::map<std::string, Array>& outputs, std::uint64_t limit);

/// True if running again costs more than writing and reading: slower than 100 MB/s, and more than
/// 50 ms.
bool is_worth_keeping(double seconds, const std::map<std::string, Array>& outputs);

}  // namespace kernelbatch
