// Finds results below folders: files, and shards that are not merged yet.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kernelbatch::history {

/// A result file, its shard folder, or both: the unit that read_results() reads.
struct ResultPlace {
  std::filesystem::path path;  ///< absolute, without links in its folders
  std::string signature;       ///< changes with the sizes or times of its files
};

struct FoundPlaces {
  std::vector<std::filesystem::path> roots;  ///< the given folders and files, links resolved
  std::vector<ResultPlace> places;           ///< ascending by path
  std::vector<std::string> problems;         ///< one for each folder that cannot be listed
};

/// Finds every `*.h5` in the folders and below them. Links are followed; a file or folder found
/// twice counts once, under the first name that is not a link. Files given by name are included.
/// Throws SpecError if a folder does not exist.
FoundPlaces find_places(std::span<const std::string> folders);

/// Decides by the name `<file>.h5.d`.
bool is_shard_folder(const std::filesystem::path& path);

/// True if `path` equals `root` or is below it; both with links resolved.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace kernelbatch::history
