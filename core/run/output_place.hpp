// Where a run's results go: looked at before anything runs, left tidy however it ends.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/file_lock.hpp"
#include "core/job/spec.hpp"
#include "core/result/shard_files.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// The result file and the folder of this process's shards, for the time of one run. Files that
/// workers spilled for these cases and nobody stored are removed at both ends of it.
///
/// The folder is this run's alone: a lock in it keeps other runs out until this process ends,
/// however it ends. Tasks of an array have folders of their own and never meet. Where the file
/// system has no locks a warning says so.
class OutputPlace {
 public:
  /// Throws StoreError where nothing can be written or another run writes there, SpecError where
  /// `file` is no result file or holds another job: after the run that would be too late.
  OutputPlace(std::filesystem::path file, std::filesystem::path folder, const JobSpec& job,
              const std::vector<const PlannedCase*>& cases);
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;
  ~OutputPlace();

  const std::filesystem::path& file() const noexcept { return file_; }

  /// A file that the run needs until its end.
  void watch(const std::filesystem::path& needed);
  /// Puts back what was removed or replaced of this place by somebody else: the folder, its lock,
  /// the folder for temporary files. Says what it was, as a sentence's end ("removed …"); empty
  /// where all is as it should be. Throws StoreError where it cannot be put back.
  std::string repair();

  /// A case was stored in the folder.
  void add_shard(const std::string& case_id) { stored_.push_back(case_id); }
  /// Cases that were stored and are there no more.
  std::vector<std::filesystem::path> lost_shards() const;

 private:
  void remove_spilled() const noexcept;

  void take_lock();

  /// Removes a folder and the one above it at its end, where they are empty.
  struct RemovedIfEmpty {
    ~RemovedIfEmpty();
    std::filesystem::path folder;
  };

  std::filesystem::path file_, folder_;
  RemovedIfEmpty removed_if_empty_;  ///< after the lock is gone, which lies in it
  std::optional<FileLock> lock_;
  std::set<std::string> case_ids_;
  std::vector<std::string> stored_;
  struct Watched {
    std::filesystem::path path;
    FileIdentity identity;
  };
  std::vector<Watched> watched_;
  std::filesystem::path temporary_;  ///< where there was such a folder
};

}  // namespace kernelbatch
