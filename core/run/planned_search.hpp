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

/// Its cases are known only when it has come to them.
class PlannedSearch {
 public:
  /// `workload`: index into Plan::workloads; `at`: places of the values in the sweep's groups,
  /// those that are not searched. Throws SpecError where `zip` joins a parameter that is searched
  /// with one that is not.
  PlannedSearch(std::size_t workload, std::string variant,
                std::shared_ptr<const SweptWorkload> swept, const TuneSpec& tune,
                std::vector<std::size_t> at);

  std::size_t workload() const noexcept { return workload_; }
  const std::string& variant() const noexcept { return variant_; }
  const TuneSpec& tune() const noexcept { return tune_; }

  /// A parameter is a group of those that advance together. Filters are asked, never a list made.
  /// Valid as long as this.
  SearchSpace space() const;
  /// Every parameter, in the order of declaration.
  NamedValues values(const Configuration& configuration) const;
  std::string case_id(const Configuration& configuration) const {
    return swept_->id_of(values(configuration));
  }
  /// The values of what is searched, wherever they come from; nullopt where they are none of the
  /// job's, or do not pass its filters.
  std::optional<Configuration> configuration_of(const NamedValues& values) const;
  /// Whether the other parameters have these values, too.
  bool is_of_this_problem(const NamedValues& values) const;
  /// Whether another search is of other variants of the same problem.
  bool is_of_same_problem(const PlannedSearch& other) const {
    return workload_ == other.workload_ && at_ == other.at_;
  }
  /// The most tries that it can have: its budget, or fewer where there are fewer combinations. Of
  /// more than a million the filters are not asked for it.
  std::size_t most_tries() const;

  /// The groups of a sweep that are not searched. Throws SpecError as the constructor does.
  static std::vector<std::size_t> other_groups(const Sweep& sweep, const TuneSpec& tune);

 private:
  std::vector<std::size_t> place(const Configuration& configuration) const;

  std::size_t workload_;
  std::string variant_;
  std::shared_ptr<const SweptWorkload> swept_;
  TuneSpec tune_;
  std::vector<std::size_t> at_;        ///< of every group; of those that are searched any
  std::vector<std::size_t> searched_;  ///< groups
};

}  // namespace kernelbatch
