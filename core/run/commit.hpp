// The commit that a job's files are of, where they lie in a git repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kernelbatch {

struct Commit {
  std::string hash;       ///< 40 digits, "-dirty" behind them where files differ; empty: not known
  std::string branch;     ///< empty where none is checked out
  std::int64_t time = 0;  ///< s since 1970, of the committer
};

/// Of the repository that `folder` lies in. KERNELBATCH_COMMIT and KERNELBATCH_BRANCH say it
/// instead, for places without git. All empty where there is no repository, no git, or git refuses
/// (a repository of another user). Changes nothing in the repository.
Commit commit_of(const std::filesystem::path& folder);

/// The first digits of a commit, as file names have them: "abc1234", "abc1234-dirty"; empty where
/// there is none.
std::string short_commit(const Commit& commit);

}  // namespace kernelbatch
