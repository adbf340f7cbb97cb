// Place of a run's results: checked before the run, cleaned up afterwards however it ends.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file_lock.hpp"
#include "core/job/spec.hpp"
#include "core/result/shard_files.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// The result file and the folder of this process's shards, for the duration of one run. Unstored
/// files that workers spilled for these cases are removed at the start and at the end.
///
/// The folder belongs to this run: a lock in it excludes other runs until this process ends. Tasks
/// of an array have separate folders, and store cases that they took from each other in those of
/// the others. If the file system has no locks, a warning is printed.
class OutputPlace {
 public:
  /// Throws StoreError if nothing can be written or another run writes there, SpecError if `file`
  /// is not a result file or contains another job: after the run that would be too late.
  OutputPlace(std::filesystem::path file, std::filesystem::path folder, const JobSpec& job,
              const std::vector<const PlannedCase*>& cases);
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
  ~OutputPlace();

  const std::filesystem::path& file() const noexcept { return file_; }

  /// Adds a file that the run needs until its end.
  void watch(const std::filesystem::path& needed);
  /// Restores parts of this place that another process removed or replaced: the folder, its lock,
  /// the folder for temporary files. Returns what happened as the end of a sentence ("removed …");
  /// empty if everything is intact. Throws StoreError if it cannot be restored.
  std::string repair();

  /// Records that a case was stored in a folder: this one, or that of another part.
  void add_shard(const std::filesystem::path& folder, const std::string& case_id) {
    stored_.emplace_back(folder, case_id);
  }
  /// Stored cases that no longer exist, and were not merged as results of `run` or a later one.
  std::vector<std::filesystem::path> lost_shards(std::int64_t run) const;

 private:
  void remove_spilled() const noexcept;

  void take_lock();

  /// Removes a folder and its parent at the end, if they are empty.
  struct RemovedIfEmpty {
    ~RemovedIfEmpty();
    std::filesystem::path folder;
  };

  std::filesystem::path file_, folder_;
  RemovedIfEmpty removed_if_empty_;  ///< after the lock, which is inside
  std::optional<FileLock> lock_;
  std::set<std::string> case_ids_;
  std::vector<std::pair<std::filesystem::path, std::string>> stored_;  ///< folders and cases
  struct Watched {
    std::filesystem::path path;
    FileIdentity identity;
  };
  std::vector<Watched> watched_;
  std::filesystem::path temporary_;  ///< if there was such a folder
};

}  // namespace kernelbatch
