// Writes a merged file case by case.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/result/collect.hpp"
#include "core/result/named_columns.hpp"
#include "core/result/record.hpp"
#include "core/result/table.hpp"

namespace kernelbatch {

class MergedWriter {
 public:
  /// `source` names the program and its version.
  MergedWriter(const NewFile& file, const std::string& source);
  ~MergedWriter();

  /// Adds a case; cases are stored in this order.
  void add(const CollectedCase& results);
  /// Keeps the calibration with the largest `time_ns` for each device.
  void add(const DeviceCalibration& calibration, std::int64_t time_ns);
  /// Rows of /cases so far.
  std::int64_t results() const noexcept { return results_; }
  /// Completes the tables and adds the digest; NewFile::commit() follows. Nothing may be added
  /// afterwards.
  void finish();

 private:
  void add(const CollectedResult& result, std::optional<h5::Group>& outputs_of_case);
  std::int64_t environment_row(const EnvironmentRecord* environment);
  std::int64_t job_row(const JobRecord* job);

  struct Content;
  const NewFile& file_;
  std::unique_ptr<Content> content_;
  std::int64_t results_ = 0;
  NamedColumns params_, environment_values_;
  std::map<std::string, std::int64_t> environment_rows_, job_rows_;
  std::map<std::string, std::pair<std::int64_t, DeviceCalibration>> calibrations_;
};

}  // namespace kernelbatch
