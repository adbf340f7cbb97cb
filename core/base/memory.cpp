#include "core/base/memory.hpp"

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

/// This process's group of version 2 and every group above it limit it.
std::uint64_t group_memory() {
  std::ifstream file("/proc/self/cgroup");
  std::uint64_t least = kUnknown;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    const fs::path root = "/sys/fs/cgroup";
    for (fs::path group = line.substr(4);; group = group.parent_path()) {
      const auto limit = number_in(root / group / "memory.max");
      const auto used = number_in(root / group / "memory.current");
      if (limit && used) least = std::min(least, *limit > *used ? *limit - *used : 0);
      if (group.empty()) break;
    }
  }
  return least;
}

/// Bytes that are worth a thread of their own.
constexpr std::int64_t kGrain = std::int64_t{4} << 20;

/// `body(first byte, number of bytes)` for pieces of a block.
template <class Body>
void for_pieces(std::size_t bytes, const Body& body) {
  parallel_for(static_cast<std::int64_t>(bytes), kGrain, [&](std::int64_t begin, std::int64_t end) {
    body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

std::uint64_t available_memory() { return std::min(system_memory(), group_memory()); }

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
