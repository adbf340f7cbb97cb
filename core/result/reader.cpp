#include "core/result/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/collect.hpp"
#include "core/result/locate.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

std::string sentence(const UnreadableShard& bad) {
  return fmt::format("the shard '{}' of case '{}' cannot be read: {}", bad.file.path().string(),
                     bad.file.case_id(), bad.reason);
}

std::string key_of(const EnvironmentRecord& environment) { return to_json(environment.values); }
std::string key_of(const JobRecord& job) {
  return fmt::format("{}\n{}\n{}", job.sha, job.name, job.spec_written);
}

/// Assigns one index to equal records.
template <class Record>
class Indices {
 public:
  explicit Indices(std::vector<Record>& known) : known_(&known) {}

  /// -1 for null. If the record `is_lasting`, its address identifies it afterwards: computing a key
  /// for each of many results takes longer than reading them.
  std::int64_t of(const Record* record, bool is_lasting) {
    if (record == nullptr) return -1;
    if (is_lasting && record == last_) return last_index_;
    const auto [found, is_new] =
        by_key_.try_emplace(key_of(*record), static_cast<std::int64_t>(known_->size()));
    if (is_new) known_->push_back(*record);
    last_ = is_lasting ? record : nullptr;
    last_index_ = found->second;
    return last_index_;
  }

 private:
  std::vector<Record>* known_;
  std::map<std::string, std::int64_t> by_key_;
  const Record* last_ = nullptr;
  std::int64_t last_index_ = -1;
};

void add_calibration(std::vector<DeviceCalibration>& known, const DeviceCalibration& calibration) {
  const auto found = std::ranges::find(known, calibration.device, &DeviceCalibration::device);
  if (found == known.end())
    known.push_back(calibration);
  else
    *found = calibration;
}

/// Earlier versions stored "inline" as the workload of an inline kernel instead of its job's name.
void use_job_name(CollectedResult& result) {
  if (result.record.workload == "inline" && result.job != nullptr && !result.job->name.empty())
    result.record.workload = result.job->name;
}

/// Calls `visit` with each result and its indices into the file's environments and jobs.
template <class Visit>
ResultFile walk(Located located, const fs::path& path, Parts parts, const Visit& visit) {
  ResultFile file{.path = path};
  if (located.merged) {
    located.merged->prepare(parts);
    file.calibration = located.merged->calibration();
  }
  Indices environments(file.environments);
  Indices jobs(file.jobs);
  ResultOrder latest;
  const Collector collector(located.shards, located.merged_files());
  for (std::size_t k = 0; k < collector.size(); ++k) {
    CollectedCase collected = collector.collect(k, parts, Check::kRecord);
    for (const UnreadableShard& bad : collected.unreadable) {
      if (located.only_shard) throw StoreError(sentence(bad));
      file.problems.push_back(sentence(bad));
    }
    for (const auto& shard : collected.shards)
      for (const DeviceCalibration& calibration : shard->record().calibration)
        add_calibration(file.calibration, calibration);
    const bool is_lasting = collected.shards.empty();
    for (CollectedResult& result : collected.results) {
      const std::int64_t environment = environments.of(result.environment, is_lasting);
      const std::int64_t job = jobs.of(result.job, is_lasting);
      if (const ResultOrder order = order_of(result.record); job >= 0 && order >= latest) {
        latest = order;
        file.latest_job = job;
      }
      use_job_name(result);
      visit(std::move(result.record), environment, job);
    }
  }
  return file;
}

StoredOutput whole_output(const h5::Dataset& dataset, const CollectedResult& result,
                          std::string_view name, Damaged damaged) {
  StoredOutput output = read_output(dataset);
  if (damaged == Damaged::kRead || !result.source->has_digests()) return output;
  const ResultRecord& record = result.record;
  const auto known = std::ranges::find(record.outputs, name, &OutputRecord::name);
  require_whole(output, known == record.outputs.end() ? "" : known->xxh3,
                fmt::format("the array '{}' of case '{}', variant '{}'", name, record.case_id,
                            record.variant));
  return output;
}

}  // namespace

ResultFile read_results(const fs::path& path, Parts parts) {
  Located located = locate(path, parts.damaged);
  std::vector<ResultRecord> results;
  std::vector<std::int64_t> environment_of, job_of;
  if (located.merged) results.reserve(located.merged->case_ids().size());
  ResultFile file = walk(std::move(located), path, parts,
                         [&](ResultRecord record, std::int64_t environment, std::int64_t job) {
                           results.push_back(std::move(record));
                           environment_of.push_back(environment);
                           job_of.push_back(job);
                         });
  file.results = std::move(results);
  file.environment_of = std::move(environment_of);
  file.job_of = std::move(job_of);
  return file;
}

ResultFile visit_results(const fs::path& path, Parts parts, const ResultVisitor& visit) {
  return walk(locate(path, parts.damaged), path, parts,
              [&](ResultRecord record, std::int64_t, std::int64_t) { visit(std::move(record)); });
}

StoredOutput read_output(const fs::path& path, std::string_view case_id, std::string_view variant,
                         std::string_view output, Damaged damaged) {
  Located located = locate(path, damaged);
  std::erase_if(located.shards, [&](const ShardFile& shard) { return shard.case_id() != case_id; });
  // Reads only this case's rows, and only the newest attempt's arrays.
  const Collector collector(located.shards, located.merged_files(), case_id);
  for (std::size_t k = 0; k < collector.size(); ++k) {
    Parts parts(Samples::kOmit);
    parts.damaged = damaged;
    const CollectedCase collected = collector.collect(k, parts, Check::kRecordAndOutputs);
    for (const CollectedResult& result : collected.results) {
      if (result.record.variant != variant) continue;
      const auto dataset = result.source->output(case_id, variant, output);
      if (!dataset) continue;
      try {
        return whole_output(*dataset, result, output, damaged);
      } catch (const StoreError& error) {
        throw StoreError(
            fmt::format("cannot read the output '{}' of '{}', variant '{}', in '{}': {}", output,
                        case_id, variant, path.string(), error.what()));
      }
    }
    for (const UnreadableShard& bad : collected.unreadable) throw StoreError(sentence(bad));
  }
  throw SpecError(fmt::format("'{}' holds no output '{}' of case '{}', variant '{}'", path.string(),
                              output, case_id, variant));
}

void for_each_output(const fs::path& path, const OutputVisitor& function, Damaged damaged) {
  Located located = locate(path, damaged);
  const Collector collector(located.shards, located.merged_files());
  for (std::size_t k = 0; k < collector.size(); ++k) {
    Parts parts(Samples::kOmit, false);
    parts.damaged = damaged;
    const CollectedCase collected = collector.collect(k, parts, Check::kRecordAndOutputs);
    for (const UnreadableShard& bad : collected.unreadable) throw StoreError(sentence(bad));
    for (const CollectedResult& result : collected.results) {
      const auto& [case_id, variant] = std::tie(result.record.case_id, result.record.variant);
      for (const std::string& name : result.source->outputs(case_id, variant))
        function(
            case_id, variant, name,
            whole_output(*result.source->output(case_id, variant, name), result, name, damaged));
    }
  }
}

}  // namespace kernelbatch
