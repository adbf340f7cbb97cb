// What a search over parameters found.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// The best configuration of one variant of one problem.
struct Tuned {
  std::string workload, params, variant;  ///< params: those that were not searched
  const ResultRecord* best = nullptr;     ///< the fastest that is right
  const ResultRecord* slowest = nullptr;  ///< the slowest that is right
  std::size_t tried = 0, dropped = 0, failed = 0;
  /// Configurations, the best one among them, whose intervals overlap the best one's: as good, for
  /// all that was measured.
  std::size_t as_good = 0;
};

/// One for each variant of each problem that was searched and has a result that is right. Of a
/// kernel that was edited the tries since then count. Points into `results`.
std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results);

/// Without the tries of searches, but for the best of each and those that are wrong.
std::vector<ResultRecord> without_tries(const std::vector<ResultRecord>& results);

/// The same as a table with a heading; empty where nothing was searched.
std::string tuning_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

}  // namespace kernelbatch
