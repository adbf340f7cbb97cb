// Merges shards into one file that other programs can open directly.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace kernelbatch {

struct MergeOptions {
  std::string source = "kernelbatch";  ///< program, version and commit, for the file's attribute
  /// Time to wait for another merge of the same file.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
};

/// An unreadable shard under its new name.
struct SetAsideShard {
  std::filesystem::path path;
  std::string case_id, reason;
};

struct MergeReport {
  std::int64_t results = 0;  ///< rows of /cases in the file
  std::int64_t cases = 0;
  std::int64_t shards = 0;  ///< merged by this call
  std::vector<SetAsideShard> unreadable;
};

/// Merges the shards under `<output_file>.d` and the current content of `output_file` into
/// `output_file`. The newest attempt of each case and variant is kept. The file is replaced
/// atomically; shards are removed only after that, and those that arrive meanwhile stay for the
/// next merge. Safe to repeat after a crash at any time. If there is nothing to merge, the file is
/// not changed. Throws SpecError if there are neither shards nor a file, if `output_file` is not a
/// results file, or if there are results of two jobs (neither name nor hash in common); StoreError
/// if another merge does not end or the file cannot be written. Nothing is lost then.
MergeReport merge_shards(const std::filesystem::path& output_file,
                         const MergeOptions& options = {});

/// Combines several sources into a new file: output files with or without shards, folders of
/// shards, single shards, of any jobs. The newest attempt of each case and variant is kept. The
/// sources are not changed. Throws SpecError if `output_file` exists or a source has no results,
/// StoreError if the file cannot be written.
MergeReport combine_results(std::span<const std::filesystem::path> sources,
                            const std::filesystem::path& output_file,
                            const MergeOptions& options = {});

}  // namespace kernelbatch
