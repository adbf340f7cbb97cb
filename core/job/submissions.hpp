// `<results>.slurm`: what `submit` has queued for a result file, one line for each job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kernelbatch {

struct SlurmSubmission {
  std::string id = {};          ///< of the job or the array: "812"
  std::string cluster = {};     ///< empty: the default one
  std::string user = {};        ///< empty in records of older versions, as are all of the following
  std::size_t tasks = 0;        ///< of the array; 0: unknown
  std::string log_folder = {};  ///< has the logs and exit files of the tasks
  std::string job = {};         ///< the resolved job as YAML
  std::int64_t time_ns = 0;

  bool operator==(const SlurmSubmission&) const = default;
};

/// Throws StoreError with what to do if a submission for these results could not be recorded.
void require_recordable(const std::filesystem::path& results);

/// Appends a line. Two users at the same time keep both lines. Throws StoreError.
void record_submission(const std::filesystem::path& results, const SlurmSubmission& submission);

/// The latest submissions, oldest first; lines that cannot be read are left out.
std::vector<SlurmSubmission> recorded_submissions(const std::filesystem::path& results);

/// Name of this process's user, or the number if it has no name.
std::string current_user();

}  // namespace kernelbatch
