// Where results lie below folders: files, and shards that are not merged yet.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kernelbatch::history {

/// A result file, the folder of its shards beside it, or both: what read_results() reads at once.
struct ResultPlace {
  std::filesystem::path path;  ///< absolute, without links in its folders
  std::string signature;       ///< other sizes or times of what lies there give another one
};

struct FoundPlaces {
  std::vector<std::filesystem::path>
      roots;                          ///< the folders and files that were named, without links
  std::vector<ResultPlace> places;    ///< ascending by path
  std::vector<std::string> problems;  ///< a sentence for each folder that cannot be listed
};

/// Every `*.h5` in the folders and below them; links are followed, and a file or folder that is met
/// again, by a link or another name, counts once: by the name that is no link and comes first.
/// Files are named as they are. Throws SpecError where a folder is not there.
FoundPlaces find_places(std::span<const std::string> folders);

/// By its name: `<file>.h5.d`.
bool is_shard_folder(const std::filesystem::path& path);

/// Whether a path is the other or lies below it; both without links.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace kernelbatch::history
