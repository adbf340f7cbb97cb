#include "core/run/output_place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"
#include "core/result/merged_reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Throws SpecError if `path` contains jobs, and this is not one of them.
void require_same_job(const fs::path& path, const std::vector<JobRecord>& known,
                      const JobSpec& job) {
  JobRecord mine;
  mine.name = job.name;
  mine.sha = sha256_hex(job.source);
  mine.spec_written = job.source;
  const auto is_same = [&](const JobRecord& other) { return is_same_job(other, mine); };
  if (!known.empty() && std::ranges::none_of(known, is_same))
    throw SpecError(
        fmt::format("'{}' holds results of the job '{}', not of '{}': choose another "
                    "output",
                    path.string(), known.front().name, job.name));
}

/// The job of one shard of any task: all shards are of one job, unless they were moved there. None
/// if no shard is readable.
std::vector<JobRecord> job_of_shards(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with('.')) entry.disable_recursion_pending();
    if (case_of_shard(entry->path().filename().string()).empty()) continue;
    try {
      return {Shard(entry->path(), Samples::kOmit).record().job};
    } catch (const Error&) {
      // Damaged, or removed by a merge meanwhile: the merge reports it.
    }
  }
  return {};
}

/// Identifies the owner of the lock to other users.
std::string this_process() {
  utsname system{};
  ::uname(&system);
  std::string text = fmt::format("process {} on {}", ::getpid(), system.nodename);
  if (const auto job = environment("SLURM_JOB_ID")) text += fmt::format(", Slurm job {}", *job);
  return text;
}

std::string holder_of(const fs::path& lock) {
  try {
    std::string text = read_file(lock);
    if (!text.empty()) return text;
  } catch (const Error&) {
    // It was released just now, or belongs to another user.
  }
  return "an unknown process";
}

/// Certain only: a file system that does not answer is not evidence.
bool is_missing(const fs::path& path) noexcept {
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

OutputPlace::OutputPlace(fs::path file, fs::path folder, const JobSpec& job,
                         const std::vector<const PlannedCase*>& cases)
    : file_(std::move(file)), folder_(std::move(folder)) {
  if (fs::is_directory(file_))
    throw StoreError(fmt::format("cannot write '{}': it is a folder", file_.string()));
  require_regular_file(file_);
  make_writable_folder(file_.parent_path());
  refuse_link(folder_.parent_path());
  refuse_link(folder_);
  if (fs::exists(file_)) require_same_job(file_, MergedFile(file_).jobs(), job);
  require_same_job(shards_folder(file_), job_of_shards(shards_folder(file_)), job);
  removed_if_empty_.folder = folder_;
  make_writable_folder(folder_);
  take_lock();
  std::error_code none;
  temporary_ = fs::temp_directory_path(none);
  for (const PlannedCase* planned : cases) case_ids_.insert(planned->case_id);
  remove_spilled();
}

void OutputPlace::take_lock() {
  // Long enough for a merge that only checks whether the lock is a dead run's.
  constexpr std::chrono::milliseconds kPatience{500};
  const fs::path path = folder_ / kRunLock;
  refuse_link(path);
  lock_.emplace(path, kPatience);
  switch (lock_->state()) {
    case FileLock::State::kHeld:
      lock_->describe(this_process());
      return;
    case FileLock::State::kImpossible:
      warn(fmt::format("'{}' cannot be locked: make sure that no other run writes '{}' meanwhile",
                       path.string(), file_.string()));
      return;
    case FileLock::State::kTaken:
      throw StoreError(
          fmt::format("'{}' is being written by another run ({}): wait for its end, or choose "
                      "another output (-o). If its node is dead, remove '{}'",
                      file_.string(), holder_of(path), path.string()));
  }
}

void OutputPlace::watch(const fs::path& needed) {
  watched_.push_back({needed, identity_of(needed)});
}

std::string OutputPlace::repair() {
  std::string said;
  const auto say = [&](const std::string& what) { said += (said.empty() ? "" : ", ") + what; };
  std::error_code error;
  if (is_missing(folder_)) {
    say(fmt::format("removed the folder '{}'", folder_.string()));
    make_writable_folder(folder_);
  }
  if (lock_->is_held() && !lock_->is_in_place()) {
    if (said.empty()) say(fmt::format("removed or replaced '{}'", (folder_ / kRunLock).string()));
    take_lock();
  }
  if (!temporary_.empty() && is_missing(temporary_)) {
    say(fmt::format("removed the folder for temporary files '{}'", temporary_.string()));
    // If this fails too, every compilation reports it.
    fs::create_directories(temporary_, error);
  }
  for (Watched& each : watched_) {
    const FileIdentity now = identity_of(each.path);
    if (now == each.identity || (now.size < 0 && !is_missing(each.path))) continue;
    say(fmt::format("changed the file '{}'", each.path.string()));
    each.identity = now;
  }
  return said;
}

std::vector<fs::path> OutputPlace::lost_shards(std::int64_t run) const {
  std::vector<fs::path> lost;
  for (const auto& [folder, case_id] : stored_)
    if (shards_of_case(folder, case_id).empty())
      lost.push_back(folder / (case_id + std::string(kShardSuffix)));
  if (lost.empty() || !fs::exists(file_)) return lost;
  // A merge removes shards after it has written the file.
  MergedFile merged(file_);
  std::set<std::string> found;
  for (std::size_t row = 0; row < merged.case_ids().size(); ++row)
    if (merged.result(static_cast<std::int64_t>(row), {Samples::kOmit, false}).run >= run)
      found.insert(merged.case_ids()[row]);
  std::erase_if(lost, [&](const fs::path& path) { return found.contains(path.stem()); });
  return lost;
}

OutputPlace::~OutputPlace() { remove_spilled(); }

OutputPlace::RemovedIfEmpty::~RemovedIfEmpty() {
  if (folder.empty()) return;
  // Fails for folders that contain shards, as intended.
  std::error_code ignored;
  fs::remove(folder, ignored);
  fs::remove(folder.parent_path(), ignored);
}

void OutputPlace::remove_spilled() const noexcept {
  try {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      const std::string name = entry.path().filename().string();
      // Other parts may be storing cases here.
      const bool is_left_over =
          lock_->is_held() && is_temporary(name) && is_abandoned(entry.path());
      if (is_left_over ||
          (name.ends_with(kSpilledSuffix) && case_ids_.contains(name.substr(0, name.find('.')))))
        fs::remove(entry.path(), ignored);
    }
  } catch (const std::exception& error) {
    warn(fmt::format("cannot tidy '{}': {}", folder_.string(), error.what()));
  }
}

}  // namespace kernelbatch
