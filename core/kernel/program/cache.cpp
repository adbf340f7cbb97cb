#include "core/kernel/program/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEntryMagic = "kernelbatch-kernel-2\n";
constexpr std::size_t kHashDigits = 32;
/// Temporary and lock files older than this are left over from killed processes.
constexpr std::int64_t kAbandonedAfter_s = 3600;

/// Reads data written by append_sized; nothing past the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::optional<std::string_view> text() {
    std::uint64_t size = 0;
    if (rest_.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, rest_.data(), sizeof size);
    rest_.remove_prefix(sizeof size);
    if (rest_.size() < size) return std::nullopt;
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

fs::path file_of(const fs::path& folder, const std::string& key, std::string_view ending) {
  return folder / key.substr(0, 2) / (key + std::string(ending));
}

/// One file of a cache.
struct Entry {
  std::int64_t used_ns = 0;
  fs::path path;
  std::uint64_t bytes = 0;
  auto order() const { return std::tie(used_ns, path); }
};

struct Listing {
  std::vector<Entry> kernels, leftovers;
  std::uint64_t bytes = 0;
};

bool is_subfolder_name(const std::string& name) {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Lists only cache entries: other files of a folder that was named by mistake are never touched.
Listing list_cache(const fs::path& folder) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator outer(folder, error), end; !error && outer != end;
       outer.increment(error)) {
    if (!is_subfolder_name(outer->path().filename().string())) continue;
    std::error_code inner_error;
    for (fs::directory_iterator inner(outer->path(), inner_error); !inner_error && inner != end;
         inner.increment(inner_error)) {
      struct stat status {};
      if (::lstat(inner->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      const Entry entry{status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                        inner->path(), static_cast<std::uint64_t>(status.st_size)};
      const std::string ending = inner->path().extension().string();
      if (ending == ".kernel") {
        listing.kernels.push_back(entry);
        listing.bytes += entry.bytes;
      } else if (ending == ".tmp" || ending == ".lock") {
        listing.leftovers.push_back(entry);
      }
    }
  }
  return listing;
}

/// A held lock stays, however old its file is.
void remove_leftover(const fs::path& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

/// Estimated contents of a folder, so that not every store has to list it.
struct Estimate {
  std::uint64_t bytes = 0;
  int stores_left = 0;  ///< until the folder is listed again, since other processes store, too
};

bool may_be_over(const fs::path& folder, std::uint64_t stored, std::uint64_t limit) {
  static std::mutex mutex;
  static std::map<std::string, Estimate> estimates;
  constexpr int kStoresBetweenListings = 64;
  const std::lock_guard lock(mutex);
  Estimate& estimate = estimates[folder.string()];
  estimate.bytes += stored;
  if (estimate.bytes <= limit && estimate.stores_left-- > 0) return false;
  estimate.bytes = std::min(list_cache(folder).bytes, limit);
  estimate.stores_left = kStoresBetweenListings;
  return true;
}

}  // namespace

std::optional<fs::path> shared_cache_folder() {
  if (const auto named = environment("KERNELBATCH_CACHE_SHARED")) return *named;
  return std::nullopt;
}

std::uint64_t cache_limit() {
  const auto text = environment("KERNELBATCH_CACHE_MAX_SIZE");
  if (!text) return std::uint64_t{2} << 30;
  try {
    return static_cast<std::uint64_t>(parse_bytes(*text));
  } catch (const SpecError& error) {
    throw SpecError(fmt::format("KERNELBATCH_CACHE_MAX_SIZE: {}", error.what()));
  }
}

void require_trusted_caches() {
  const auto require = [](const std::optional<fs::path>& folder, Owner owner,
                          const char* variable) {
    if (!folder) return;
    const std::string reason = reason_no_trust(*folder, owner);
    if (!reason.empty())
      throw SpecError(fmt::format(
          "the kernel cache {}. Kernels in it are run with your rights; {} names another", reason,
          variable));
  };
  require(cache_folder(), Owner::kUser, "KERNELBATCH_CACHE_DIR");
  require(shared_cache_folder(), Owner::kUserOrRoot, "KERNELBATCH_CACHE_SHARED");
}

std::optional<Image> load_cached(const fs::path& folder, const std::string& key, Owner owner) {
  const fs::path path = file_of(folder, key, ".kernel");
  for (const fs::path& part : {folder, path.parent_path(), path})
    if (!reason_no_trust(part, owner).empty()) return std::nullopt;
  std::string bytes;
  try {
    bytes = read_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
  const std::string_view all = bytes;
  if (!all.starts_with(kEntryMagic) || all.size() < kEntryMagic.size() + kHashDigits)
    return std::nullopt;
  const std::string_view body = all.substr(kEntryMagic.size() + kHashDigits);
  if (hash_hex(body) != all.substr(kEntryMagic.size(), kHashDigits)) return std::nullopt;
  Reader reader(body);
  Image image;
  const auto stored_key = reader.text();
  const auto target = reader.text();
  const auto code = reader.text();
  if (stored_key != key || !target || !code) return std::nullopt;
  image.target = *target;
  image.bytes = *code;
  while (!reader.at_end()) {
    const auto entry = reader.text();
    const auto symbol = reader.text();
    if (!entry || !symbol) return std::nullopt;
    image.symbols.emplace(*entry, *symbol);
  }
  return image;
}

void mark_used(const fs::path& folder, const std::string& key) noexcept {
  ::utimensat(AT_FDCWD, file_of(folder, key, ".kernel").c_str(), nullptr, 0);
}

void store_cached(const fs::path& folder, const std::string& key, const Image& image,
                  std::uint64_t limit) {
  std::string body;
  append_sized(body, key);
  append_sized(body, image.target);
  append_sized(body, image.bytes);
  for (const auto& [entry, symbol] : image.symbols) {
    append_sized(body, entry);
    append_sized(body, symbol);
  }
  const std::string text = std::string(kEntryMagic) + hash_hex(body) + body;
  const fs::path path = file_of(folder, key, ".kernel");
  make_own_folder(path.parent_path());
  try {
    write_file_atomically(path, text, Writers::kOwner);
  } catch (const Error&) {
    return;  // A read-only or full cache costs a compile next time, nothing else.
  }
  if (may_be_over(folder, text.size(), limit)) trim_cache(folder, limit);
}

fs::path lock_path(const fs::path& folder, const std::string& key) {
  return file_of(folder, key, ".lock");
}

CacheUsage cache_usage(const fs::path& folder) {
  const Listing listing = list_cache(folder);
  return {listing.kernels.size(), listing.bytes};
}

CacheUsage trim_cache(const fs::path& folder, std::uint64_t limit) {
  Listing listing = list_cache(folder);
  std::ranges::sort(listing.kernels, {}, &Entry::order);
  CacheUsage removed;
  for (const Entry& entry : listing.kernels) {
    if (listing.bytes - removed.bytes <= limit) break;
    if (::unlink(entry.path.c_str()) != 0) continue;
    removed.bytes += entry.bytes;
    ++removed.entries;
  }
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  for (const Entry& leftover : listing.leftovers)
    if (leftover.used_ns / 1'000'000'000 + kAbandonedAfter_s < now.tv_sec)
      remove_leftover(leftover.path);
  return removed;
}

CacheUsage clear_cache(const fs::path& folder) {
  const CacheUsage removed = trim_cache(folder, 0);
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error))
    if (is_subfolder_name(each->path().filename().string())) ::rmdir(each->path().c_str());
  return removed;
}

}  // namespace kernelbatch
