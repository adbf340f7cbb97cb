#include "core/store/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/store/collect.hpp"
#include "core/store/locate.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

std::string sentence(const UnreadableShard& bad) {
  return fmt::format("the shard '{}' of case '{}' cannot be read: {}", bad.file.path.string(),
                     bad.file.case_id, bad.reason);
}

/// Index of a record among those known, which it joins when it is new.
template <class Record>
std::int64_t index_of(std::vector<Record>& known, std::map<std::string, std::int64_t>& indices,
                      const Record* record, const std::string& key) {
  if (record == nullptr) return -1;
  const auto [found, is_new] = indices.try_emplace(key, static_cast<std::int64_t>(known.size()));
  if (is_new) known.push_back(*record);
  return found->second;
}

void add_calibration(std::vector<DeviceCalibration>& known, const DeviceCalibration& calibration) {
  const auto found = std::ranges::find(known, calibration.device, &DeviceCalibration::device);
  if (found == known.end())
    known.push_back(calibration);
  else
    *found = calibration;
}

}  // namespace

ResultFile read_results(const fs::path& path, Samples samples) {
  Located located = locate(path);
  ResultFile file{.path = path};
  if (located.merged) file.calibration = located.merged->calibration();
  std::map<std::string, std::int64_t> environments, jobs;
  Collector collector(std::move(located.shards), located.merged_files());
  for (std::size_t k = 0; k < collector.size(); ++k) {
    CollectedCase collected = collector.collect(k, samples, Check::kRecord);
    for (const UnreadableShard& bad : collected.unreadable) {
      if (located.only_shard) throw StoreError(sentence(bad));
      file.problems.push_back(sentence(bad));
    }
    for (const auto& shard : collected.shards)
      for (const DeviceCalibration& calibration : shard->record().calibration)
        add_calibration(file.calibration, calibration);
    for (CollectedResult& result : collected.results) {
      const auto* environment = result.environment;
      const auto* job = result.job;
      file.environment_of.push_back(
          index_of(file.environments, environments, environment,
                   environment == nullptr ? "" : to_json(environment->values)));
      file.job_of.push_back(index_of(
          file.jobs, jobs, job,
          job == nullptr ? "" : fmt::format("{}\n{}\n{}", job->sha, job->name, job->spec_written)));
      file.results.push_back(std::move(result.record));
    }
  }
  return file;
}

StoredOutput read_output(const fs::path& path, std::string_view case_id, std::string_view variant,
                         std::string_view output) {
  Located located = locate(path);
  std::erase_if(located.shards, [&](const ShardFile& shard) { return shard.case_id != case_id; });
  // Only this case's rows are looked at, and of these only the newest attempt's arrays.
  Collector collector(std::move(located.shards), located.merged_files(), std::string(case_id));
  for (std::size_t k = 0; k < collector.size(); ++k) {
    const CollectedCase collected = collector.collect(k, Samples::kOmit, Check::kRecordAndOutputs);
    for (const CollectedResult& result : collected.results) {
      if (result.record.variant != variant) continue;
      const auto dataset = result.source->output(case_id, variant, output);
      if (!dataset) continue;
      try {
        return read_output(*dataset);
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

}  // namespace kernelbatch
