// Opens results files for HDF5, which crashes or never ends on some damaged ones: what it opens in
// this process is what kernelbatch wrote, bit for bit.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/scratch_folder.hpp"
#include "core/result/h5/h5.hpp"

namespace kernelbatch {

/// What happens to a file that is not what was written.
enum class Damaged : bool {
  kRefuse,
  kRead,  ///< what can still be read is, with a warning: it may be wrong
};

/// What a file is meant to be: a folder of shards may hold anything, and then it is a damaged
/// shard; a file that a user names may be another program's, and then it is the user's mistake.
enum class Expected : bool { kResults, kShard };

/// A results file, merged or shard, that may be read in this process.
struct OpenedResults {
  std::unique_ptr<ScratchFolder> copy;  ///< holds `path` where that is a copy; else null
  std::filesystem::path path;           ///< what is open: the file itself or its copy
  h5::File file;
  int schema = 0;  ///< of the file that was named; its copy has the newest
};

/// A file whose digest fits is opened as it is. One without a digest, of schema 1 or of another
/// program, is read in a child process with limits, which writes it again in the folder for
/// temporary files; the same happens to a damaged one where that is asked for. Throws SpecError
/// where the system cannot read the file, it is not HDF5, not kernelbatch's or too new; StoreError
/// where it is damaged.
OpenedResults open_results(const std::filesystem::path& path, Expected expected,
                           Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
