// Compiled kernels on disk: one file per key, whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/file.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// KERNELBATCH_CACHE_SHARED: a site's cache, looked up after the user's own and never written.
std::optional<std::filesystem::path> shared_cache_folder();

/// KERNELBATCH_CACHE_MAX_SIZE ("500MB", "4 GiB"), by default 2 GiB. Throws SpecError naming the
/// variable.
std::uint64_t cache_limit();

/// The image of a key. Nothing for a missing, unreadable or damaged entry, or one that was stored
/// under another key: the caller compiles.
/// An entry that somebody else could have written counts as missing: it is code to be run.
std::optional<Image> load_cached(const std::filesystem::path& folder, const std::string& key,
                                 Owner owner = Owner::kUser);

/// Throws SpecError where the user's cache belongs to somebody else or the site's neither to root
/// nor to the user, or where others may write one of them: kernels in them are run with the user's
/// rights. The message has the line that mends it.
void require_trusted_caches();

/// Makes an entry the last to be evicted. No error where it cannot be touched.
void mark_used(const std::filesystem::path& folder, const std::string& key) noexcept;

/// Stores an image under a key, whole or not at all, then evicts what was used longest ago until
/// the folder is within `limit`. A cache that cannot be written is no error. Nobody but the user
/// may write what is made, whatever the umask allows.
void store_cached(const std::filesystem::path& folder, const std::string& key, const Image& image,
                  std::uint64_t limit = cache_limit());

/// Where the lock of a key lies.
std::filesystem::path lock_path(const std::filesystem::path& folder, const std::string& key);

struct CacheUsage {
  std::uint64_t entries = 0, bytes = 0;
};

/// What a folder holds; nothing where it is not there.
CacheUsage cache_usage(const std::filesystem::path& folder);

/// Removes the entries used longest ago until at most `limit` bytes are left, and what processes
/// that were killed left behind. Returns what was removed; entries of others that cannot be removed
/// stay.
CacheUsage trim_cache(const std::filesystem::path& folder, std::uint64_t limit);

/// Removes all entries, and subfolders that are empty then. What is not the cache's stays. Returns
/// what was removed.
CacheUsage clear_cache(const std::filesystem::path& folder);

}  // namespace kernelbatch
