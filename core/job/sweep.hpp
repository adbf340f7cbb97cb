// The combinations of a workload's parameters.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/job/expression.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Converts a scalar to the type that the workload declares for the parameter; throws SpecError.
using ScalarTyper = std::function<Value(const std::string& parameter, const Scalar& scalar)>;

/// A scalar's natural type: unquoted booleans, integers and reals are such, the rest is text.
Value natural_value(const Scalar& scalar);

inline constexpr std::size_t kDefaultAllowedCases = 10'000;

/// Throws SpecError with the required `--allow-cases` if `cases` is more than `allowed`. For the
/// sum over a job's workloads; each Sweep checks its own count.
void check_case_limit(std::size_t cases, std::size_t allowed, std::string_view what,
                      const SourcePlace& place = {});

/// The cartesian product of the axes: the last one varies fastest; axes of a zip group advance
/// together at the position of the group's first axis. Values of each combination are in the order
/// of `params:`. The caller adds omitted parameters as axes of one value, so that filters may use
/// them. If `tune:` has a budget, a search chooses: the combinations are not visited, and their
/// number is unlimited.
class Sweep {
 public:
  /// Types every value once and counts the combinations that no `exclude` filter drops. Throws
  /// SpecError, with a place, for: values refused by `typer`; an axis (or zip group) that repeats a
  /// value (of its type: 1e6 and 1000000); zips of unknown, repeated or unequally long axes;
  /// filters with unknown names; a filter that drops nothing (unless an axis it uses comes from the
  /// command line); filters that drop everything; more than `allowed_cases` combinations.
  explicit Sweep(const WorkloadSpec& workload, const ScalarTyper& typer = nullptr,
                 std::size_t allowed_cases = kDefaultAllowedCases);

  /// Number of combinations; 0 if a search chooses.
  std::size_t size() const noexcept { return size_; }

  /// Visits the combinations in order. The values are valid only during the call: one object is
  /// reused.
  void for_each(const std::function<void(const NamedValues&)>& visit) const;
  std::vector<NamedValues> combinations() const;

  /// Lengths of the groups (axes that advance together), in the order of the places in
  /// for_each_place().
  std::vector<std::size_t> group_lengths() const;
  /// The parameters of a group.
  std::vector<std::string> group_names(std::size_t group) const;
  /// The filters of `exclude:`, checked against the parameters' names.
  const std::vector<Expression>& filters() const noexcept { return filters_; }
  /// The values at a place in each group, even if a filter drops them.
  NamedValues combination(std::span<const std::size_t> at) const;
  /// Changes the values of one group in a combination.
  void set_group(NamedValues& values, std::size_t group, std::size_t at) const;
  /// Visits the combinations in order, each as its places in the groups; much faster than with
  /// values.
  void for_each_place(const std::function<void(std::span<const std::size_t> at)>& visit) const;

 private:
  /// Axes that advance together.
  struct Group {
    std::vector<std::size_t> axes;
    std::size_t length = 0;
  };

  void group_axes(const WorkloadSpec& workload);
  void check_repeats(const WorkloadSpec& workload) const;
  void apply_filters(const WorkloadSpec& workload, std::size_t product);
  /// Visits the whole product; `visit` gets each combination and its number.
  template <class Visit>
  void walk(const Visit& visit) const;

  std::vector<std::string> names_;
  std::vector<std::vector<Value>> values_;  ///< of each axis
  std::vector<Group> groups_;
  std::vector<Expression> filters_;
  /// True for combinations dropped by a filter; empty without filters.
  std::vector<bool> dropped_;
  std::size_t size_ = 0;
};

/// The combinations of one workload as a list.
std::vector<NamedValues> expand(const WorkloadSpec& workload, const ScalarTyper& typer = nullptr,
                                std::size_t allowed_cases = kDefaultAllowedCases);

/// The same one by one, without the list.
void for_each_combination(const WorkloadSpec& workload, const ScalarTyper& typer,
                          std::size_t allowed_cases,
                          const std::function<void(const NamedValues&)>& visit);

}  // namespace kernelbatch
