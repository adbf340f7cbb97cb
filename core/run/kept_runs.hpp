// Kept runs (`output.history`): a file for each, and the last one under the job's name.
//
//   results/sweep/20261125T215512Z-abc1234.h5      a run, named by its start (UTC) and the commit
//   results/sweep.h5                               a link to the last finished run
//
// Tasks of an array and processes of --jobs write one file together, named by Slurm's job number or
// by KERNELBATCH_RUN_STAMP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kernelbatch {

/// The folder of a job's runs: "results/sweep" for "results/sweep.h5".
std::filesystem::path runs_folder(const std::filesystem::path& last);

/// Identifies a run among those of its job.
struct RunStamp {
  std::string text;        ///< the time, Slurm's number or KERNELBATCH_RUN_STAMP
  bool is_shared = false;  ///< shared by several processes that write one file
};
/// Throws SpecError if the variable cannot be part of a file name.
RunStamp run_stamp(std::int64_t now_ns);
/// Passes the stamp to processes started later.
void share_run_stamp(const RunStamp& stamp);

/// The file of a new run.
std::filesystem::path new_run_file(const std::filesystem::path& last, const RunStamp& stamp,
                                   const std::string& commit);

/// The most recently written run, finished or not. Empty if there is none.
std::filesystem::path latest_run_file(const std::filesystem::path& last);

/// Makes `last` a link to `run`, or a copy if the file system has no links. An existing file that
/// is not a link moves into the folder of runs. Readers of `last` see the old or the new run.
/// Throws StoreError.
void publish_run(const std::filesystem::path& run, const std::filesystem::path& last);

}  // namespace kernelbatch
