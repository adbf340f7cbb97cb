#include "core/report/history/result_places.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/shard_files.hpp"

namespace kernelbatch::history {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kShardFolderSuffix = ".h5.d";

using Inode = std::pair<dev_t, ino_t>;

/// Status of the path's target; std::nullopt if it does not exist.
std::optional<struct stat> status_at(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string size_and_time(const struct stat& status) {
  return fmt::format("{}:{}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

class PlaceFinder {
 public:
  void add_root(const std::string& text) {
    std::error_code error;
    const fs::path path = fs::canonical(text, error);
    if (error)
      throw SpecError(fmt::format("cannot read the folder '{}': {}", text, error.message()));
    const auto status = status_at(path);
    found_.roots.push_back(path);
    if (is_shard_folder(path))
      add_shards(path, true);
    else if (status && S_ISDIR(status->st_mode))
      add_folder(path, *status);
    else if (status)
      add(path);
  }

  FoundPlaces take() {
    // A file's own name is preferred to a link, whose target may change.
    for (const auto& [path, inode] : linked_)
      if (inodes_.insert(inode).second) files_.insert(path);
    for (const fs::path& path : files_) found_.places.push_back({path, signature_of(path)});
    return std::move(found_);
  }

 private:
  /// Sorted names in a folder; if it cannot be listed, none, and a problem.
  std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator each(folder, error);
    for (; !error && each != fs::directory_iterator(); each.increment(error))
      entries.push_back(each->path());
    if (error)
      found_.problems.push_back(
          fmt::format("the folder '{}' cannot be listed: {}", folder.string(), error.message()));
    std::ranges::sort(entries);
    return entries;
  }

  void add_folder(const fs::path& folder, const struct stat& status) {
    if (!folders_.insert({status.st_dev, status.st_ino}).second) return;
    for (const fs::path& path : entries_of(folder)) add(path);
  }

  void add(const fs::path& path) {
    const auto status = status_at(path);
    if (!status) return;  // a dangling link, or removed meanwhile
    const std::string name = path.filename().string();
    if (S_ISDIR(status->st_mode)) {
      if (is_shard_folder(path))
        add_shards(path, false);
      else if (std::error_code error; fs::is_symlink(path, error))
        add_folder(fs::canonical(path, error), *status);
      else
        add_folder(path, *status);
    } else if (S_ISREG(status->st_mode) && name.ends_with(kShardSuffix) && !is_temporary(name)) {
      const Inode inode{status->st_dev, status->st_ino};
      if (std::error_code error; fs::is_symlink(path, error))
        linked_.emplace(path, inode);
      else if (inodes_.insert(inode).second)
        files_.insert(path);
    }
  }

  /// A shard folder stands for the file that it will be merged into. If that file exists, it is
  /// found separately, unless the folder `is_named`.
  void add_shards(const fs::path& folder, bool is_named) {
    fs::path merged = folder;
    merged.replace_extension();  // ".d"
    if (status_at(merged) ? is_named : !list_shards(folder).empty()) files_.insert(merged);
  }

  static std::string signature_of(const fs::path& path) {
    std::string text;
    if (const auto status = status_at(path)) text = size_and_time(*status);
    const fs::path folder = path.string() + ".d";
    if (!status_at(folder)) return text;
    std::string shards;
    for (const ShardFile& shard : list_shards(folder))
      append_sized(shards, fmt::format("{} {}:{}", shard.path().string(), shard.identity().size,
                                       shard.identity().changed_ns));
    return shards.empty() ? text : text + " " + hash_hex(shards);
  }

  FoundPlaces found_;
  std::set<Inode> folders_, inodes_;
  std::set<fs::path> files_;
  std::map<fs::path, Inode> linked_;
};

}  // namespace

FoundPlaces find_places(std::span<const std::string> folders) {
  PlaceFinder finder;
  for (const std::string& folder : folders) finder.add_root(folder);
  return finder.take();
}

bool is_shard_folder(const fs::path& path) {
  return path.filename().string().ends_with(kShardFolderSuffix);
}

bool is_below(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace kernelbatch::history
