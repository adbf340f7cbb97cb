// TuningSearch: a running search of a job.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/search/planned_search.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// Outcome of a try.
struct Try {
  Status status = Status::kSkipped;
  Summary cold;
  double spent_s = 0;  ///< wall time, whatever the outcome
};

/// Chooses configurations until the budget is spent. Every try counts, whatever its outcome. The
/// same seed and the same outcomes give the same configurations, so a resumed run with the previous
/// outcomes reaches the previous state.
class TuningSearch {
 public:
  /// `planned` must outlive this object. `first`: configurations to start with. Tasks that share a
  /// search have different `task` numbers, from 0, so that they try different configurations.
  TuningSearch(const PlannedSearch& planned, std::vector<Configuration> first,
               std::size_t task = 0);

  /// The next untried configuration; std::nullopt if the budget is spent or none are left.
  std::optional<Configuration> next();
  /// At most `count` configurations that next() may return after that.
  std::vector<Configuration> upcoming(std::size_t count) const;
  /// Records an outcome, including those of other tasks.
  void tell(const Configuration& configuration, const Try& made);
  bool knows(const Configuration& configuration) const;

  /// s; a variant whose first sample is longer cannot be the best. 0 if unknown or disabled by the
  /// job.
  double drop_above() const;
  const PlannedSearch& planned() const noexcept { return planned_; }
  /// True if any try was correct.
  bool has_found() const noexcept { return best_.has_value(); }

  /// "5 configurations of a.h5 were tried first; the best of them took 1.2 ms, the best of all 40
  /// tries 1.1 ms"; empty if there were none, or none was correct.
  std::string gain_text() const;

 private:
  const PlannedSearch& planned_;
  SearchSpace space_;
  std::unique_ptr<Strategy> strategy_;
  std::deque<Configuration> first_;
  std::vector<Configuration> warm_;
  std::optional<Summary> best_;
  double best_warm_ = kMissing;
  double spent_s_ = 0;
};

/// The best configurations from earlier results of the same workload and variant within the
/// search's space: the same problem first, then others, taking the best of each problem before the
/// second best of any. At most eight. An empty `workload`: of any, for an inline kernel, whose
/// workload is the name of its job.
std::vector<Configuration> earlier_best(const PlannedSearch& planned, const std::string& workload,
                                        const std::vector<ResultRecord>& results);

}  // namespace kernelbatch
