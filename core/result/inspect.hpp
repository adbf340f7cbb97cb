// Whether stored results are what was written: digests of files and of arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace kernelbatch {

struct InspectedFile {
  std::filesystem::path path;
  std::string problem;      ///< what is damaged or missing; empty where all is whole
  std::int64_t arrays = 0;  ///< whose digests were compared
  bool has_digest = true;   ///< false of schema 1, whose arrays alone have digests
};

/// Gives every file that `path` stands for to `visit`, one at a time: an output file and the shards
/// under `<path>.d`, a folder of shards, or one shard; shards that a merge has set aside count as
/// damaged. Throws SpecError where there is nothing at `path`.
void inspect_results(const std::filesystem::path& path,
                     const std::function<void(const InspectedFile&)>& visit);

}  // namespace kernelbatch
