// Results as text tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/record.hpp"

namespace kernelbatch {

/// Rows of cells under a header, columns as wide as their widest cell (in code points). Numbers'
/// columns are aligned to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const noexcept { return rows_.empty(); }
  /// `right` names the columns that are aligned to the right. Lines are cut at `width` where it is
  /// not 0.
  std::string to_text(const std::vector<std::size_t>& right = {}, std::size_t width = 0) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// One block per case (its workload and parameters), one row per variant: status, median with the
/// half width of its 95 % interval, rate, speed-up over the case's baseline, largest error. Results
/// that are not right show no time. Failures are explained below. `width` as above.
std::string results_table(const std::vector<ResultRecord>& results, std::size_t width = 0);

/// What is wrong with one result, over several lines: case, phase, reason, the worker's last lines.
std::string failure_text(const ResultRecord& record);

}  // namespace kernelbatch
