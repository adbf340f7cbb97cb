// Many shards into one file that other programs open without help.
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

/// A shard that could not be read, under its new name.
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

/// Merges the shards under `<output_file>.d` and what `output_file` already holds into
/// `output_file`. Of each case and variant the newest attempt stays. The file is replaced at once,
/// by a whole one; shards go only after that, and those that arrive meanwhile stay for the next
/// merge. Safe to repeat after a crash at any instant. With nothing to merge, the file stays
/// untouched. Throws SpecError when there are neither shards nor a file, or when `output_file` is
/// no results file or there are results of two jobs (neither name nor hash in common); StoreError
/// when another merge does not end or the file cannot be written. Nothing is lost then.
MergeReport merge_shards(const std::filesystem::path& output_file,
                         const MergeOptions& options = {});

/// Puts what several sources hold into a new file: output files with or without shards, folders of
/// shards, single shards, of whatever jobs. Of each case and variant the newest attempt stays. The
/// sources stay as they are. Throws SpecError when `output_file` exists or a source holds no
/// results, StoreError when the file cannot be written.
MergeReport combine_results(std::span<const std::filesystem::path> sources,
                            const std::filesystem::path& output_file,
                            const MergeOptions& options = {});

}  // namespace kernelbatch
