// Reads a merged file row by row, with constant memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/h5/h5.hpp"
#include "core/result/json.hpp"
#include "core/result/open_results.hpp"
#include "core/result/record.hpp"
#include "core/result/schema.hpp"
#include "core/result/sources.hpp"
#include "core/result/table.hpp"

namespace kernelbatch {

/// Parts of a result to read; tables needed only by some readers cost time.
struct Parts {
  Samples samples = Samples::kInclude;
  bool launches = true;  ///< and kernels
  /// Names of the columns of /cases and /checks to read from a merged file; empty = all. Other
  /// columns may keep their default. Identity and attempt are always read; parameters are
  /// "params_json". The names must outlive the reading.
  std::span<const std::string_view> columns{};
  Damaged damaged = Damaged::kRefuse;  ///< for shards; files are opened before

  // NOLINTNEXTLINE(google-explicit-constructor): most callers only care about the samples.
  Parts(Samples s = Samples::kInclude, bool has_launches = true,
        std::span<const std::string_view> only = {})
      : samples(s), launches(has_launches), columns(only) {}
};

class MergedFile final : public OutputSource {
 public:
  /// Throws SpecError if the file cannot be opened by the system, is not HDF5, not kernelbatch's or
  /// too new; StoreError if it is damaged or lacks a table.
  explicit MergedFile(const std::filesystem::path& path);
  /// The same for an open file; `path` is for messages.
  MergedFile(const std::filesystem::path& path, OpenedResults opened);

  /// Case ID of each row of /cases.
  const std::vector<std::string>& case_ids() const noexcept { return case_ids_; }
  /// ResultRecord::plan_index of each row; -1 in older files.
  const std::vector<std::int64_t>& plan_indices() const noexcept { return plan_indices_; }
  const std::vector<EnvironmentRecord>& environments() const noexcept { return environments_; }
  const std::vector<JobRecord>& jobs() const noexcept { return jobs_; }
  const std::vector<DeviceCalibration>& calibration() const noexcept { return calibration_; }

  /// Skips columns that these parts do not need: each column costs time.
  void prepare(const Parts& parts);
  /// Reads a row of /cases and the rows it refers to. Fast for rows in ascending order. Throws
  /// StoreError, with the file's name, if data are damaged or rows are missing.
  ResultRecord result(std::int64_t row, Parts parts);
  /// Rows in the tables of environments and jobs; -1 if unknown.
  schema::Place place(std::int64_t row);

  bool has_digests() const noexcept override { return opened_.schema >= schema::kFirstWithDigest; }
  std::vector<std::string> outputs(std::string_view case_id,
                                   std::string_view variant) const override;
  std::optional<h5::Dataset> output(std::string_view case_id, std::string_view variant,
                                    std::string_view name) const override;

 private:
  ResultRecord read_result(std::int64_t row, Parts parts);
  const NamedValues& params_of(std::int64_t row);

  std::filesystem::path path_;
  OpenedResults opened_;
  h5::Group root_;
  std::vector<std::string> case_ids_;
  std::vector<std::int64_t> plan_indices_;
  std::vector<EnvironmentRecord> environments_;
  std::vector<JobRecord> jobs_;
  std::vector<DeviceCalibration> calibration_;
  RecordReader<ResultRecord> results_;
  RecordReader<schema::Place> places_;
  RecordReader<Sample> samples_;
  RecordReader<LaunchRecord> launches_;
  RecordReader<KernelRecord> kernels_;
  RecordReader<OutputRecord> checks_;
  std::optional<RecordReader<FindingRecord>> findings_;  ///< missing in older files
  std::optional<RecordReader<CounterRecord>> counters_;  ///< missing in older files
  ColumnReader params_;
  std::string params_text_;
  NamedValues params_values_;
};

}  // namespace kernelbatch
