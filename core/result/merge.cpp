#include "core/result/merge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/failpoint.hpp"
#include "core/base/file.hpp"
#include "core/result/collect.hpp"
#include "core/result/locate.hpp"
#include "core/result/merged_writer.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLockInterval{20};

/// Lock held while merging. If the file system has no locks, the checks of identities still detect
/// a concurrent merge.
FileDescriptor lock(const fs::path& folder, std::chrono::milliseconds patience) {
  // Merged shards are removed.
  refuse_link(folder);
  FileDescriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor) return descriptor;
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return {};
    if (std::chrono::steady_clock::now() >= until)
      throw StoreError(fmt::format("another merge of '{}' is running", folder.string()));
    std::this_thread::sleep_for(kLockInterval);
  }
  return descriptor;
}

/// Checks that a file contains only one job.
class OneJob {
 public:
  OneJob(const fs::path& output_file, const MergedFile* merged) : where_(output_file) {
    if (merged != nullptr) jobs_ = merged->jobs();
  }

  /// Throws SpecError for a shard of a different job.
  void require(const Shard& shard) {
    const JobRecord& job = shard.record().job;
    const auto is_same = [&](const JobRecord& known) { return is_same_job(known, job); };
    if (!jobs_.empty() && std::ranges::none_of(jobs_, is_same))
      throw SpecError(
          fmt::format("'{}' holds results of the job '{}', and the shard '{}' is of '{}': one file "
                      "holds one job, so move one of them away",
                      where_.string(), jobs_.front().name, shard.path().string(), job.name));
    if (!jobs_.empty()) return;
    jobs_.push_back(job);
    where_ = shard.path();
  }

 private:
  fs::path where_;
  std::vector<JobRecord> jobs_;
};

/// Removes leftovers of killed merges next to the file: all of them if no other merge can be
/// running.
void remove_stale_temporaries(const fs::path& output_file, bool is_alone) {
  const fs::path parent = output_file.has_parent_path() ? output_file.parent_path() : ".";
  const std::string prefix = fmt::format(".{}.", output_file.filename().string());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error))
    if (const std::string name = entry.path().filename().string(); name.starts_with(prefix)) {
      if (is_temporary(name) && (is_alone || is_abandoned(entry.path())))
        fs::remove(entry.path(), error);
      remove_stale_temporary(entry.path());
    }
}

std::int64_t time_of(const CaseRecord& record) {
  std::int64_t time = -1;
  for (const ResultRecord& result : record.results) time = std::max(time, result.start_ns);
  return time;
}

/// Runs `write`; failures are reported with the file's name and the state of the sources.
template <class Function>
auto writing(const fs::path& output_file, Function write) {
  try {
    return write();
  } catch (const StoreError& error) {
    throw StoreError(
        fmt::format("cannot write '{}': {}; the results to be merged "
                    "are kept",
                    output_file.string(), error.what()));
  }
}

/// Writes the content of the shards and the files, and counts it. Returns the unreadable shards.
/// `look_at` may refuse a shard.
template <class Function>
std::vector<UnreadableShard> write_merged(const NewFile& file, const MergeOptions& options,
                                          std::span<const ShardFile> shards,
                                          const std::vector<MergedFile*>& files,
                                          MergeReport& report, Function look_at) {
  std::vector<UnreadableShard> unreadable;
  MergedWriter writer(file, options.source);
  for (const MergedFile* merged : files)
    for (const DeviceCalibration& calibration : merged->calibration()) writer.add(calibration, -1);
  const Collector collector(shards, files);
  for (std::size_t k = 0; k < collector.size(); ++k) {
    const CollectedCase collected =
        collector.collect(k, Samples::kInclude, Check::kRecordAndOutputs);
    for (const auto& shard : collected.shards) {
      look_at(*shard);
      for (const DeviceCalibration& calibration : shard->record().calibration)
        writer.add(calibration, time_of(shard->record()));
    }
    unreadable.insert(unreadable.end(), collected.unreadable.begin(), collected.unreadable.end());
    writer.add(collected);
    if (!collected.results.empty()) ++report.cases;
  }
  report.results = writer.results();
  writer.finish();
  return unreadable;
}

void remove_merged(const fs::path& folder, std::vector<ShardFile> shards) {
  std::erase_if(shards, [](const ShardFile& shard) { return !remove_shard(shard); });
  tidy_shards_folder(folder, shards);
}

}  // namespace

MergeReport merge_shards(const fs::path& output_file, const MergeOptions& options) {
  const fs::path folder = shards_folder(output_file);
  const FileDescriptor held = lock(folder, options.patience);
  // In this order: a concurrent merge without our lock shows as a vanished shard.
  std::vector<ShardFile> shards = list_shards(folder);
  const FileIdentity before = identity_of(output_file);
  std::optional<MergedFile> merged;
  if (before.size >= 0) merged.emplace(output_file);
  if (!merged && shards.empty())
    throw SpecError(fmt::format("there are no results: neither '{}' nor shards under '{}'",
                                output_file.string(), folder.string()));

  MergeReport report;
  if (shards.empty()) {
    const auto& ids = merged->case_ids();
    report.results = static_cast<std::int64_t>(ids.size());
    report.cases = static_cast<std::int64_t>(std::set(ids.begin(), ids.end()).size());
    tidy_shards_folder(folder, {});
    return report;
  }

  remove_stale_temporaries(output_file, bool{held});
  NewFile file(output_file);
  std::vector<MergedFile*> files;
  if (merged) files.push_back(&*merged);
  OneJob job(output_file, merged ? &*merged : nullptr);
  const std::vector<UnreadableShard> unreadable = writing(output_file, [&] {
    return write_merged(file, options, shards, files, report,
                        [&](const Shard& shard) { job.require(shard); });
  });
  merged.reset();
  if (identity_of(output_file) != before)
    throw StoreError(
        fmt::format("'{}' changed while shards were merged into it: another merge was "
                    "running; merge again",
                    output_file.string()));
  file.commit(output_file);
  KERNELBATCH_FAILPOINT("merge.committed");

  for (const UnreadableShard& bad : unreadable) {
    std::erase_if(shards, [&](const ShardFile& shard) {
      return shard.name() == bad.file.name() && shard.folder() == bad.file.folder();
    });
    report.unreadable.push_back({set_aside(bad.file), std::string(bad.file.case_id()), bad.reason});
  }
  report.shards = static_cast<std::int64_t>(shards.size());
  remove_merged(folder, std::move(shards));
  KERNELBATCH_FAILPOINT("merge.shards_removed");
  return report;
}

MergeReport combine_results(std::span<const fs::path> sources, const fs::path& output_file,
                            const MergeOptions& options) {
  if (identity_of(output_file).size >= 0)
    throw SpecError(
        fmt::format("'{}' exists: results are combined into a new file", output_file.string()));
  std::vector<Located> located;
  located.reserve(sources.size());
  for (const fs::path& source : sources) located.push_back(locate(source));
  std::vector<ShardFile> shards;
  std::vector<MergedFile*> files;
  for (Located& each : located) {
    std::ranges::move(each.shards, std::back_inserter(shards));
    each.shards.clear();
    for (MergedFile* file : each.merged_files()) files.push_back(file);
  }
  MergeReport report;
  remove_stale_temporaries(output_file, false);
  NewFile file(output_file);
  const std::vector<UnreadableShard> unreadable = writing(output_file, [&] {
    return write_merged(file, options, shards, files, report, [](const Shard&) {});
  });
  for (const UnreadableShard& bad : unreadable)
    report.unreadable.push_back({bad.file.path(), std::string(bad.file.case_id()), bad.reason});
  file.commit(output_file);
  report.shards = static_cast<std::int64_t>(shards.size() - report.unreadable.size());
  return report;
}

}  // namespace kernelbatch
