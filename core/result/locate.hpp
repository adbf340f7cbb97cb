// From a path that a user names to the files that it stands for.
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
/// one shard. Throws as MergedFile does, and SpecError when there are no results.
/// A damaged file is read where `damaged` says so.
Located locate(const std::filesystem::path& path, Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
