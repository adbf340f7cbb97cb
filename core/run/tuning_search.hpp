// TuningSearch: one search of a job while it runs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/planned_search.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// What a search is told of a try.
struct Try {
  Status status = Status::kSkipped;
  Summary cold;
  double spent_s = 0;  ///< wall time that it took, whatever came of it
};

/// Chooses configurations until the budget is spent. Every try counts, whatever became of it. The
/// same configurations for the same seed and the same answers, so that a resumed run which gives
/// the answers of the one before comes to where that ended.
class TuningSearch {
 public:
  /// `planned` must outlive it. `first`: configurations to begin with. Tasks that share a search
  /// have a `task` each, from 0, and so do not all try the same.
  TuningSearch(const PlannedSearch& planned, std::vector<Configuration> first,
               std::size_t task = 0);

  /// One that was not tried; nullopt where the budget is spent, or nothing is left.
  std::optional<Configuration> next();
  /// Also of those that others have tried.
  void tell(const Configuration& configuration, const Try& made);
  bool knows(const Configuration& configuration) const;

  /// s; who takes longer in a first sample is not the best. 0 where that cannot be said, or the job
  /// does not want it.
  double drop_above() const;
  const PlannedSearch& planned() const noexcept { return planned_; }
  /// Whether any was right.
  bool has_found() const noexcept { return best_.has_value(); }

  /// "5 configurations of a.h5 were tried first; the best of them took 1.2 ms, the best of all 40
  /// tries 1.1 ms"; empty where there were none, or nothing was right.
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

/// The best configurations of earlier results of the same workload and variant that are in the
/// search's space: of the same problem first, then of others, the best of each before the second
/// best of any. At most eight.
std::vector<Configuration> earlier_best(const PlannedSearch& planned, const std::string& workload,
                                        const std::vector<ResultRecord>& results);

}  // namespace kernelbatch
