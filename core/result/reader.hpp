// Reads results, merged or not.
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
  /// For each result, an index into `environments` and `jobs`; -1 if unknown.
  std::vector<std::int64_t> environment_of{}, job_of{};
  std::vector<EnvironmentRecord> environments{};
  std::vector<JobRecord> jobs{};
  std::int64_t latest_job = -1;  ///< job of the latest result, index into `jobs`; -1 if unknown
  std::vector<DeviceCalibration> calibration{};
  std::vector<std::string> problems{};  ///< one for each unreadable shard
};

/// `path` is an output file (merged, still as shards under `<path>.d`, or both), such a folder, or
/// one shard. Returns the newest result of each case and variant (order_of()). Throws SpecError if
/// there are no results there or a file is not kernelbatch's or too new, and StoreError if the
/// merged file or the only shard is damaged, unless `parts.damaged` permits it; the message names
/// the file.
ResultFile read_results(const std::filesystem::path& path, Parts parts = {});

/// The same, but each result is passed to `visit` and not kept: `results`, `environment_of` and
/// `job_of` stay empty.
using ResultVisitor = std::function<void(ResultRecord record)>;
ResultFile visit_results(const std::filesystem::path& path, Parts parts,
                         const ResultVisitor& visit);

/// Reads one stored array. `path` as above. Throws SpecError if that array was not stored.
StoredOutput read_output(const std::filesystem::path& path, std::string_view case_id,
                         std::string_view variant, std::string_view output,
                         Damaged damaged = Damaged::kRefuse);

/// Calls `function` with every stored array. `path` as above. Throws StoreError for a modified
/// array.
using OutputVisitor = std::function<void(const std::string& case_id, const std::string& variant,
                                         const std::string& output, const StoredOutput& array)>;
void for_each_output(const std::filesystem::path& path, const OutputVisitor& function,
                     Damaged damaged = Damaged::kRefuse);

}  // namespace kernelbatch
