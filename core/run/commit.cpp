#include "core/run/commit.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Output of a git command in the folder, on one line; empty if it fails or prints nothing.
std::string git(const std::filesystem::path& folder, std::vector<std::string> words) {
  std::vector<std::string> command{"git", "--no-optional-locks", "-C",
                                   folder.empty() ? "." : folder.string()};
  command.insert(command.end(), words.begin(), words.end());
  const ProcessResult done = run_process(command);
  return done.succeeded() ? std::string(trim(done.output)) : "";
}

}  // namespace

Commit commit_of(const std::filesystem::path& folder) {
  Commit commit;
  if (const auto named = environment("KERNELBATCH_COMMIT")) {
    commit.hash = *named;
    commit.branch = environment("KERNELBATCH_BRANCH").value_or("");
    return commit;
  }
  if (!find_program("git")) return commit;
  try {
    // No tag matches the empty pattern, so the commit itself is described.
    commit.hash = git(folder, {"describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"});
    if (commit.hash.empty()) return commit;
    commit.branch = git(folder, {"symbolic-ref", "--short", "-q", "HEAD"});
    const std::string time = git(folder, {"show", "-s", "--format=%ct", "HEAD"});
    std::from_chars(time.data(), time.data() + time.size(), commit.time);
  } catch (const EnvironmentError&) {
    // No process can be started: the run continues without a commit.
  }
  return commit;
}

std::string short_commit(const Commit& commit) {
  constexpr std::size_t kDigits = 7;
  const std::size_t end = commit.hash.find('-');
  const std::string mark = end == std::string::npos ? "" : commit.hash.substr(end);
  const std::string name = commit.hash.substr(0, std::min(end, kDigits)) + mark;
  return is_plain_name(name) ? name : "";
}

}  // namespace kernelbatch
