// A merged file read row by row, in memory that does not grow with it.
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

/// What of a result is read: the tables that only some readers look at cost time.
struct Parts {
  Samples samples = Samples::kInclude;
  bool launches = true;  ///< and kernels
  /// Names of the columns of /cases and /checks that a merged file is read for; empty = all. The
  /// others may be read or left as a record has them at first. Identity and attempt are always
  /// read; parameters are "params_json". The names must live as long as the reading.
  std::span<const std::string_view> columns{};
  Damaged damaged = Damaged::kRefuse;  ///< of shards; files are opened before

  // NOLINTNEXTLINE(google-explicit-constructor): most callers only care about the samples.
  Parts(Samples s = Samples::kInclude, bool has_launches = true,
        std::span<const std::string_view> only = {})
      : samples(s), launches(has_launches), columns(only) {}
};

class MergedFile final : public OutputSource {
 public:
  /// Throws SpecError when the file cannot be opened by the system, is not HDF5, not kernelbatch's
  /// or too new; StoreError when it is damaged or lacks a table.
  explicit MergedFile(const std::filesystem::path& path);
  /// The same of an open file; `path` is for messages.
  MergedFile(const std::filesystem::path& path, OpenedResults opened);

  /// Of each row of /cases.
  const std::vector<std::string>& case_ids() const noexcept { return case_ids_; }
  /// The same of ResultRecord::plan_index; -1 in files of older versions.
  const std::vector<std::int64_t>& plan_indices() const noexcept { return plan_indices_; }
  const std::vector<EnvironmentRecord>& environments() const noexcept { return environments_; }
  const std::vector<JobRecord>& jobs() const noexcept { return jobs_; }
  const std::vector<DeviceCalibration>& calibration() const noexcept { return calibration_; }

  /// Columns that none of these parts need are not touched from now on: most of a file's columns
  /// interest only some readers, and each costs time.
  void prepare(const Parts& parts);
  /// A row of /cases and what it refers to. Fast for rows in ascending order. Throws StoreError,
  /// with the file's name, for what is damaged or refers to rows that are not there.
  ResultRecord result(std::int64_t row, Parts parts);
  /// Rows in the tables of environments and jobs; -1 where unknown.
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
  std::optional<RecordReader<FindingRecord>> findings_;  ///< not in files of older versions
  std::optional<RecordReader<CounterRecord>> counters_;  ///< nor these
  ColumnReader params_;
  std::string params_text_;
  NamedValues params_values_;
};

}  // namespace kernelbatch
