// PlannedSearch: a search for the best values of some parameters, of one variant of one problem.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/run/swept_workload.hpp"
#include "core/search/space.hpp"

namespace kernelbatch {

/// "200 tries", "600 s"
std::string to_text(const TuneBudget& budget);

/// A search of the plan. Its cases are determined while it runs.
class PlannedSearch {
 public:
  /// `workload`: index into Plan::workloads; `at`: positions of the values in the sweep's groups
  /// that are not searched. Throws SpecError if `zip` joins a searched parameter with one that is
  /// not.
  PlannedSearch(std::size_t workload, std::string variant,
                std::shared_ptr<const SweptWorkload> swept, const TuneSpec& tune,
                std::vector<std::size_t> at);

  std::size_t workload() const noexcept { return workload_; }
  const std::string& variant() const noexcept { return variant_; }
  const TuneSpec& tune() const noexcept { return tune_; }

  /// Space of the search: a dimension is a group of parameters that advance together. Filters are
  /// evaluated on demand. Valid as long as this object.
  SearchSpace space() const;
  /// All parameters, in the order of declaration.
  NamedValues values(const Configuration& configuration) const;
  std::string case_id(const Configuration& configuration) const {
    return swept_->id_of(values(configuration));
  }
  /// The searched values among `values`, from any source; std::nullopt if they are not in the job
  /// or do not pass its filters.
  std::optional<Configuration> configuration_of(const NamedValues& values) const;
  /// True if the other parameters have these values.
  bool is_of_this_problem(const NamedValues& values) const;
  /// True if the other search is for another variant of the same problem.
  bool is_of_same_problem(const PlannedSearch& other) const {
    return workload_ == other.workload_ && at_ == other.at_;
  }
  /// Maximum number of tries: the budget, or the number of combinations if that is smaller. Above a
  /// million combinations, filters are ignored.
  std::size_t most_tries() const;

  /// Groups of a sweep that are not searched. Throws SpecError like the constructor.
  static std::vector<std::size_t> other_groups(const Sweep& sweep, const TuneSpec& tune);

 private:
  std::vector<std::size_t> place(const Configuration& configuration) const;

  std::size_t workload_;
  std::string variant_;
  std::shared_ptr<const SweptWorkload> swept_;
  TuneSpec tune_;
  std::vector<std::size_t> at_;        ///< of every group; unspecified for searched ones
  std::vector<std::size_t> searched_;  ///< groups
};

}  // namespace kernelbatch
