// Opens results files for HDF5, which crashes or hangs on some damaged ones: files opened in this
// process are exactly those written by kernelbatch.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/scratch_folder.hpp"
#include "core/result/h5/h5.hpp"

namespace kernelbatch {

/// Treatment of a modified file.
enum class Damaged : bool {
  kRefuse,
  kRead,  ///< read as much as possible, with a warning that it may be wrong
};

/// Expected kind of file: any invalid file in a folder of shards is a damaged shard; a file named
/// by the user may be another program's, which is the user's mistake.
enum class Expected : bool { kResults, kShard };

/// A results file, merged or shard, that is safe to read in this process.
struct OpenedResults {
  std::unique_ptr<ScratchFolder> copy;  ///< holds `path` if that is a copy; else null
  std::filesystem::path path;           ///< the open file: the file itself or its copy
  h5::File file;
  int schema = 0;  ///< of the original file; its copy has the newest
};

/// Opens a file whose digest matches directly. A file without a digest, of schema 1 or of another
/// program, is read in a child process with limits, which rewrites it in the folder for temporary
/// files; so is a damaged one if requested. Throws SpecError if the system cannot read the file, it
/// is not HDF5, not kernelbatch's or too new; StoreError if it is damaged.
OpenedResults open_results(const std::filesystem::path& path, Expected expected,
                           Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
