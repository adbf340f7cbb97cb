#include "core/base/memory.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

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

}  // namespace

std::uint64_t available_memory() { return std::min(system_memory(), group_memory()); }

}  // namespace kernelbatch
