// Integrity of stored results: digests of files and of arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace kernelbatch {

struct InspectedFile {
  std::filesystem::path path;
  std::string problem;      ///< what is damaged or missing; empty if intact
  std::int64_t arrays = 0;  ///< with verified digests
  bool has_digest = true;   ///< false for schema 1, in which only arrays have digests
};

/// Calls `visit` for every file that `path` stands for, one at a time: an output file and the
/// shards under `<path>.d`, a folder of shards, or one shard; shards that a merge has set aside
/// count as damaged. Throws SpecError if there is nothing at `path`.
void inspect_results(const std::filesystem::path& path,
                     const std::function<void(const InspectedFile&)>& visit);

}  // namespace kernelbatch
