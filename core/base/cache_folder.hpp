// Folder for data that this program can regenerate.
#pragma once

#include <filesystem>
#include <optional>

namespace kernelbatch {

/// Folder of the user's cache: KERNELBATCH_CACHE_DIR, else $XDG_CACHE_HOME/kernelbatch, else
/// ~/.cache/kernelbatch if the home directory exists and is writable; else std::nullopt, and
/// nothing is kept on disk.
std::optional<std::filesystem::path> cache_folder();

}  // namespace kernelbatch
