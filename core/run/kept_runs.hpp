// Runs that are kept (`output.history`): a file for each, and the last one's under the job's name.
//
//   results/sweep/20261125T215512Z-abc1234.h5      a run, named by its start (UTC) and the commit
//   results/sweep.h5                               a link to the last one that ended
//
// Tasks of an array and processes of --jobs write one file together: they are named by Slurm's job,
// or by KERNELBATCH_RUN_STAMP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kernelbatch {

/// The folder of a job's runs: "results/sweep" for "results/sweep.h5".
std::filesystem::path runs_folder(const std::filesystem::path& last);

/// What tells a run from the others of its job.
struct RunStamp {
  std::string text;        ///< the time, Slurm's number or KERNELBATCH_RUN_STAMP
  bool is_shared = false;  ///< several processes have it, and write one file
};
/// Throws SpecError where the variable is no part of a file's name.
RunStamp run_stamp(std::int64_t now_ns);
/// Processes that are started later have this one.
void share_run_stamp(const RunStamp& stamp);

/// The file of a new run.
std::filesystem::path new_run_file(const std::filesystem::path& last, const RunStamp& stamp,
                                   const std::string& commit);

/// The run that was written last, finished or not. Empty where none is kept.
std::filesystem::path latest_run_file(const std::filesystem::path& last);

/// Makes `last` a link to `run`; a copy where the file system has no links. A file that stood there
/// and is no link moves into the folder of runs. Readers of `last` see the old or the new run.
/// Throws StoreError.
void publish_run(const std::filesystem::path& run, const std::filesystem::path& last);

}  // namespace kernelbatch
