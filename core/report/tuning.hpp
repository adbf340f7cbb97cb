// What a search over parameters found.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// All tries of one variant of one problem. Of a kernel that was edited those since then.
struct Search {
  std::string workload, params, variant;   ///< params: those that were not searched
  std::vector<std::string> names;          ///< of the parameters that were searched
  std::vector<const ResultRecord*> tries;  ///< in the order in which they were begun
};

/// One for each variant of each problem that was searched. Points into `results`.
std::vector<Search> searches_of(const std::vector<ResultRecord>& results);

/// What a try took: its median, or the one sample of a dropped one. Above 0; NaN for all others.
double time_of_try(const ResultRecord& record) noexcept;

/// When each try ended: s since the first was begun, without the time between runs. NaN = unknown.
std::vector<double> ends_of_tries(const Search& search);

struct ParameterShare {
  std::string name;
  /// Of the variance of log(time): what is between the parameter's values, less what as many values
  /// have between them by chance (adjusted R²); 0 … 1. NaN where there are too few tries to say.
  double share = kMissing;
  std::size_t values = 0;  ///< that have a time
};

/// One for each parameter, in the order of the names, over the tries that have a time. What a
/// parameter does only together with another is in neither's share.
std::vector<ParameterShare> shares_of(const Search& search);

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

/// Of a search without a result that is right `best` is null.
Tuned tuned_of(const Search& search);

/// One for each search that has a result that is right. Points into `results`.
std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results);

/// Without the tries of searches, but for the best of each and those that are wrong.
std::vector<ResultRecord> without_tries(const std::vector<ResultRecord>& results);

/// The same as a table with a heading; empty where nothing was searched.
std::string tuning_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

}  // namespace kernelbatch
