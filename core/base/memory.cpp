#include "core/base/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "core/base/parallel.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::uint64_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kUnknown;
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::uint64_t value = 0;
  if (!(file >> text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;  // "max" is no limit
}

std::uint64_t number_after(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;)
    if (name == key) return value;
  return 0;
}

/// Files of a version of control groups.
struct GroupFiles {
  const char *limit, *used, *cached;  ///< `cached` is a key of memory.stat
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

/// Memory left by a group and all its parents.
std::uint64_t left_by(const fs::path& root, fs::path group, const GroupFiles& files) {
  std::uint64_t least = kUnknown;
  for (;; group = group.parent_path()) {
    const auto limit = number_in(root / group / files.limit);
    const auto used = number_in(root / group / files.used);
    if (limit && used) {
      // Inactive file pages are released when memory is needed.
      const std::uint64_t cached = number_after(root / group / "memory.stat", files.cached);
      const std::uint64_t held = *used > cached ? *used - cached : 0;
      least = std::min(least, *limit > held ? *limit - held : 0);
    }
    if (group.empty()) return least;
  }
}

/// Minimum number of bytes per thread.
constexpr std::int64_t kGrain = std::int64_t{4} << 20;

/// `body(first byte, number of bytes)` for pieces of a block.
template <class Body>
void for_pieces(std::size_t bytes, const Body& body) {
  parallel_for(static_cast<std::int64_t>(bytes), kGrain, [&](std::int64_t begin, std::int64_t end) {
    body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

void keep_freed_memory() noexcept {
#ifdef __GLIBC__
  ::mallopt(M_TRIM_THRESHOLD, 128 << 20);
  // The largest value allowed. Blocks above the default of 128 KiB, which the other setting fixes,
  // would be mapped and unmapped.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

std::uint64_t memory_of_groups(std::istream& groups, const std::string& root) {
  std::uint64_t least = kUnknown;
  for (std::string line; std::getline(groups, line);) {
    // "0::/slurm/job_7", "9:cpuset,memory:/slurm/job_7"
    const std::size_t first = line.find(':'), second = line.find(":/", first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 2);
    if (controllers.empty())
      least = std::min(least, left_by(root, group, kVersion2));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      least = std::min(least, left_by(root + "/memory", group, kVersion1));
  }
  return least;
}

std::uint64_t available_memory() {
  std::ifstream groups("/proc/self/cgroup");
  return std::min(system_memory(), memory_of_groups(groups, "/sys/fs/cgroup"));
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  for_pieces(bytes, [&](std::size_t at, std::size_t count) {
    std::memcpy(static_cast<std::byte*>(to) + at, static_cast<const std::byte*>(from) + at, count);
  });
}

void fill_bytes(void* to, std::byte value, std::size_t bytes) {
  for_pieces(bytes, [&](std::size_t at, std::size_t count) {
    std::memset(static_cast<std::byte*>(to) + at, std::to_integer<int>(value), count);
  });
}

bool equal_bytes(const void* a, const void* b, std::size_t bytes) {
  std::atomic<bool> is_equal{true};
  for_pieces(bytes, [&](std::size_t at, std::size_t count) {
    if (std::memcmp(static_cast<const std::byte*>(a) + at, static_cast<const std::byte*>(b) + at,
                    count) != 0)
      is_equal = false;
  });
  return is_equal;
}

}  // namespace kernelbatch
