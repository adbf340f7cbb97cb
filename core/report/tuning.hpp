// Results of a search over parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// All tries of one variant of one problem, since the last edit of its kernel.
struct Search {
  std::string workload, params, variant;   ///< params: those not searched
  std::vector<std::string> names;          ///< searched parameters
  std::vector<const ResultRecord*> tries;  ///< in the order of their start
};

/// One for each searched variant of each problem. Points into `results`.
std::vector<Search> searches_of(const std::vector<ResultRecord>& results);

/// Time of a try: its median, or the single sample of a dropped try. NaN for all others.
double time_of_try(const ResultRecord& record) noexcept;

/// End of each try, in s since the start of the first, without the time between runs. NaN if
/// unknown.
std::vector<double> ends_of_tries(const Search& search);

struct ParameterShare {
  std::string name;
  /// Share of the variance of log(time) between the parameter's values, less the share expected by
  /// chance (adjusted R²); 0 … 1. NaN if there are too few tries.
  double share = kMissing;
  std::size_t values = 0;  ///< with a time
};

/// One for each parameter, in the order of the names, over all timed tries. Interactions between
/// parameters are in no share.
std::vector<ParameterShare> shares_of(const Search& search);

/// The best configuration of one variant of one problem.
struct Tuned {
  std::string workload, params, variant;  ///< params: those not searched
  const ResultRecord* best = nullptr;     ///< the fastest correct result
  const ResultRecord* slowest = nullptr;  ///< the slowest correct result
  std::size_t tried = 0, dropped = 0, failed = 0;
  /// Number of configurations, including the best, whose interval overlaps the best one's.
  std::size_t as_good = 0;
};

/// `best` is null if a search has no correct result.
Tuned tuned_of(const Search& search);

/// One for each search with a correct result. Points into `results`.
std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results);

/// Results without the tries of searches, except the best of each and wrong ones.
std::vector<ResultRecord> without_tries(const std::vector<ResultRecord>& results);

/// The same as a table with a heading; empty if nothing was searched.
std::string tuning_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

}  // namespace kernelbatch
