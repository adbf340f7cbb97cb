// Compiled kernels on disk: one file per key, written atomically.
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

/// The image of a key. Nothing for a missing, unreadable or damaged entry, or one stored under
/// another key: the caller compiles. An entry that another user could have written counts as
/// missing, since it is code to be run.
std::optional<Image> load_cached(const std::filesystem::path& folder, const std::string& key,
                                 Owner owner = Owner::kUser);

/// Throws SpecError if the user's cache belongs to another user, if the site's belongs to neither
/// root nor the user, or if others may write to one of them: their kernels run with the user's
/// rights. The message contains the command that fixes it.
void require_trusted_caches();

/// Makes an entry the last to be evicted. No error if it cannot be touched.
void mark_used(const std::filesystem::path& folder, const std::string& key) noexcept;

/// Stores an image under a key, atomically, then evicts the least recently used entries until the
/// folder is within `limit`. A cache that cannot be written is no error. Files are writable only by
/// the user, whatever the umask allows.
void store_cached(const std::filesystem::path& folder, const std::string& key, const Image& image,
                  std::uint64_t limit = cache_limit());

/// Path of the lock file of a key.
std::filesystem::path lock_path(const std::filesystem::path& folder, const std::string& key);

struct CacheUsage {
  std::uint64_t entries = 0, bytes = 0;
};

/// Contents of a folder; zero if it does not exist.
CacheUsage cache_usage(const std::filesystem::path& folder);

/// Removes the least recently used entries until at most `limit` bytes are left, and leftovers of
/// killed processes. Returns what was removed; entries of other users that cannot be removed stay.
CacheUsage trim_cache(const std::filesystem::path& folder, std::uint64_t limit);

/// Removes all entries, and subfolders that are then empty. Other files stay. Returns what was
/// removed.
CacheUsage clear_cache(const std::filesystem::path& folder);

}  // namespace kernelbatch
