// Results read back, whether or not their shards have been merged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/json.hpp"
#include "core/result/merged_reader.hpp"
#include "core/result/output.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

struct ResultFile {
  std::filesystem::path path;
  std::vector<ResultRecord> results{};  ///< in plan order (Collector)
  /// Of each result: an index into `environments` and `jobs`; -1 where unknown.
  std::vector<std::int64_t> environment_of{}, job_of{};
  std::vector<EnvironmentRecord> environments{};
  std::vector<JobRecord> jobs{};
  std::int64_t latest_job = -1;  ///< index into `jobs`: of the latest result; -1 where unknown
  std::vector<DeviceCalibration> calibration{};
  std::vector<std::string> problems{};  ///< one sentence for each shard that could not be read
};

/// `path` is an output file (merged, still as shards under `<path>.d`, or both), such a folder, or
/// one shard. Of each case and variant the last word is given (order_of()). Throws SpecError when
/// there are no results there or a file is not kernelbatch's or too new, and StoreError when the
/// merged file or the only shard is damaged, unless `parts.damaged` says to read it; each names the
/// file.
ResultFile read_results(const std::filesystem::path& path, Parts parts = {});

/// The same with each result given to `visit`, and not kept: `results`, `environment_of` and
/// `job_of` stay empty.
using ResultVisitor = std::function<void(ResultRecord record)>;
ResultFile visit_results(const std::filesystem::path& path, Parts parts,
                         const ResultVisitor& visit);

/// One stored array. `path` as above. Throws SpecError where that array was not stored.
StoredOutput read_output(const std::filesystem::path& path, std::string_view case_id,
                         std::string_view variant, std::string_view output,
                         Damaged damaged = Damaged::kRefuse);

/// Calls `function` with every stored array. `path` as above. Throws StoreError for an array that
/// is not what was computed.
using OutputVisitor = std::function<void(const std::string& case_id, const std::string& variant,
                                         const std::string& output, const StoredOutput& array)>;
void for_each_output(const std::filesystem::path& path, const OutputVisitor& function,
                     Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
