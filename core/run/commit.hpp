// Commit of a job's files, if they are in a git repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kernelbatch {

struct Commit {
  std::string hash;       ///< 40 digits, followed by "-dirty" if files differ; empty: unknown
  std::string branch;     ///< empty if none is checked out
  std::int64_t time = 0;  ///< s since 1970, of the committer
};

/// Commit of the repository that contains `folder`. KERNELBATCH_COMMIT and KERNELBATCH_BRANCH
/// override it, for machines without git. All empty if there is no repository, no git, or git
/// refuses (a repository of another user). Does not change the repository.
Commit commit_of(const std::filesystem::path& folder);

/// A commit's first digits, as used in file names: "abc1234", "abc1234-dirty"; empty if there is
/// none.
std::string short_commit(const Commit& commit);

}  // namespace kernelbatch
