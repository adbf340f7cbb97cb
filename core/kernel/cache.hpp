// Compiled kernels, kept in memory and on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Folder of the disk cache: KERNELBATCH_CACHE_DIR, else $XDG_CACHE_HOME/kernelbatch, else
/// ~/.cache/kernelbatch. Nothing where there is no home: then kernels are kept in memory only.
std::optional<std::filesystem::path> cache_folder();

/// Key of a source for a compiler: source, entries, options, target, compiler and prelude.
std::string cache_key(const KernelSource& source, const Compiler& compiler);

/// The image of a key from disk. Nothing for a missing, unreadable or damaged entry: the caller
/// compiles.
std::optional<Image> load_cached(const std::filesystem::path& folder, const std::string& key);

/// Stores an image under a key. A cache that cannot be written is no error.
void store_cached(const std::filesystem::path& folder, const std::string& key, const Image& image);

}  // namespace kernelbatch
