// Finds the files of a path given by the user.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/result/merged_reader.hpp"
#include "core/result/shard_files.hpp"

namespace kernelbatch {

struct Located {
  std::vector<ShardFile> shards;
  std::optional<MergedFile> merged;
  bool only_shard = false;  ///< the path is one shard's

  std::vector<MergedFile*> merged_files() {
    return merged ? std::vector<MergedFile*>{&*merged} : std::vector<MergedFile*>{};
  }
};

/// `path` is an output file (merged, still as shards under `<path>.d`, or both), such a folder, or
/// one shard. Throws like MergedFile, and SpecError if there are no results. A damaged file is read
/// only if `damaged` permits it.
Located locate(const std::filesystem::path& path, Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
