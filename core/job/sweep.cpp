#include "core/job/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/expression.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

/// Limit of combinations before filtering: filters are evaluated for each.
constexpr std::size_t kMaxFiltered = 100'000'000;

bool comes_from_command_line(const WorkloadSpec& workload, const Expression& filter) {
  const std::vector<std::string> names = filter.names();
  return std::any_of(workload.params.begin(), workload.params.end(), [&](const Axis& axis) {
    return axis.place.line == 0 && !axis.place.file.empty() &&
           std::find(names.begin(), names.end(), axis.name) != names.end();
  });
}

}  // namespace

Value natural_value(const Scalar& scalar) {
  if (scalar.quoted) return scalar.text;
  if (const auto value = try_parse_boolean(scalar.text)) return *value;
  Value value = scalar.text;
  with_place(scalar.place, "params", [&] {
    if (const auto number = read_signed_number(scalar.text))
      value = std::visit([](auto written) { return Value(written); }, *number);
  });
  return value;
}

void check_case_limit(std::size_t cases, std::size_t allowed, std::string_view what,
                      const SourcePlace& place) {
  if (cases <= allowed) return;
  fail_at(place,
          fmt::format("{} expands to {} cases, more than the {} allowed: if this is intended, "
                      "pass --allow-cases {}",
                      what, cases, allowed, cases));
}

Sweep::Sweep(const WorkloadSpec& workload, const ScalarTyper& typer, std::size_t allowed_cases) {
  for (const Axis& axis : workload.params) {
    if (std::find(names_.begin(), names_.end(), axis.name) != names_.end())
      fail_at(axis.place, fmt::format("parameter '{}' is given twice", axis.name));
    names_.push_back(axis.name);
    std::vector<Value>& typed = values_.emplace_back();
    typed.reserve(axis.values.size());
    for (const Scalar& scalar : axis.values)
      typed.push_back(typer ? typer(axis.name, scalar) : natural_value(scalar));
    if (typed.empty()) fail_at(axis.place, fmt::format("parameter '{}' has no values", axis.name));
  }
  group_axes(workload);
  for (const Scalar& scalar : workload.exclude) {
    filters_.emplace_back(scalar);
    filters_.back().check_names(names_);
  }
  if (workload.tune && workload.tune->is_searched()) {
    check_repeats(workload);
    return;
  }

  std::size_t product = 1;
  for (const Group& group : groups_)
    if (__builtin_mul_overflow(product, group.length, &product))
      fail_at(workload.place, fmt::format("'{}' expands to more cases than can be counted",
                                          workload.workload.text));
  const std::string what = fmt::format("'{}'", workload.workload.text);
  if (workload.exclude.empty() || product > kMaxFiltered)
    check_case_limit(product, allowed_cases, what, workload.place);
  check_repeats(workload);
  size_ = product;
  if (!workload.exclude.empty()) apply_filters(workload, product);
  check_case_limit(size_, allowed_cases, what, workload.place);
}

void Sweep::group_axes(const WorkloadSpec& workload) {
  constexpr std::size_t kAlone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> zip_of(names_.size(), kAlone);
  for (std::size_t zip = 0; zip < workload.zip.size(); ++zip) {
    const std::vector<Scalar>& group = workload.zip[zip];
    std::size_t first = kAlone;
    for (const Scalar& name : group) {
      const auto found = std::find(names_.begin(), names_.end(), name.text);
      if (found == names_.end())
        fail_at(name.place, fmt::format("'zip': unknown parameter '{}'{}", name.text,
                                        suggestion(name.text, names_)));
      const auto axis = static_cast<std::size_t>(found - names_.begin());
      if (zip_of[axis] != kAlone)
        fail_at(name.place, fmt::format("'zip': parameter '{}' is named twice", name.text));
      zip_of[axis] = zip;
      if (first == kAlone) first = axis;
      if (values_[axis].size() != values_[first].size())
        fail_at(name.place,
                fmt::format("'zip': '{}' has {} values, but '{}' has {}", name.text,
                            values_[axis].size(), names_[first], values_[first].size()));
    }
  }
  for (std::size_t axis = 0; axis < names_.size(); ++axis) {
    if (zip_of[axis] == kAlone) {
      groups_.push_back({{axis}, values_[axis].size()});
      continue;
    }
    const auto known = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return zip_of[group.axes.front()] == zip_of[axis];
    });
    if (known != groups_.end())
      known->axes.push_back(axis);
    else
      groups_.push_back({{axis}, values_[axis].size()});
  }
}

void Sweep::check_repeats(const WorkloadSpec& workload) const {
  for (const Group& group : groups_) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < group.length; ++i) {
      NamedValues tuple;
      std::string identity;
      for (const std::size_t axis : group.axes) {
        tuple.emplace_back(names_[axis], values_[axis][i]);
        identity += fmt::format("{}:{}\n", values_[axis][i].index(), to_text(values_[axis][i]));
      }
      if (!seen.insert(std::move(identity)).second)
        fail_at(workload.params[group.axes.front()].values[i].place,
                fmt::format("{} is given twice", to_text(tuple)));
    }
  }
}

template <class Visit>
void Sweep::walk(const Visit& visit) const {
  NamedValues values;
  values.reserve(names_.size());
  for (std::size_t axis = 0; axis < names_.size(); ++axis)
    values.emplace_back(names_[axis], values_[axis].front());
  std::vector<std::size_t> at(groups_.size(), 0);
  for (std::size_t number = 0;; ++number) {
    visit(values, number);
    std::size_t turning = groups_.size();
    while (turning > 0) {
      const Group& group = groups_[--turning];
      const bool wraps = ++at[turning] == group.length;
      if (wraps) at[turning] = 0;
      for (const std::size_t axis : group.axes) values[axis].second = values_[axis][at[turning]];
      if (!wraps) break;
      if (turning == 0) return;
    }
    if (groups_.empty()) return;
  }
}

void Sweep::apply_filters(const WorkloadSpec& workload, std::size_t product) {
  std::vector<bool> has_matched(filters_.size(), false);
  dropped_.assign(product, false);
  walk([&](const NamedValues& values, std::size_t number) {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      // One match drops a combination; other filters are evaluated only until each has matched
      // once.
      if (dropped_[number] && has_matched[i]) continue;
      if (!filters_[i].holds(values)) continue;
      has_matched[i] = true;
      if (!dropped_[number]) --size_;
      dropped_[number] = true;
    }
  });
  for (std::size_t i = 0; i < filters_.size(); ++i)
    if (!has_matched[i] && !comes_from_command_line(workload, filters_[i]))
      fail_at(workload.exclude[i].place,
              fmt::format("the filter '{}' excludes nothing: correct or remove it",
                          filters_[i].text()));
  if (size_ == 0)
    fail_at(workload.exclude.front().place, "'exclude' leaves no case: every one is excluded");
}

std::vector<std::string> Sweep::group_names(std::size_t group) const {
  std::vector<std::string> names;
  for (const std::size_t axis : groups_[group].axes) names.push_back(names_[axis]);
  return names;
}

void Sweep::for_each(const std::function<void(const NamedValues&)>& visit) const {
  if (size_ == 0) return;
  walk([&](const NamedValues& values, std::size_t number) {
    if (dropped_.empty() || !dropped_[number]) visit(values);
  });
}

std::vector<std::size_t> Sweep::group_lengths() const {
  std::vector<std::size_t> lengths;
  for (const Group& group : groups_) lengths.push_back(group.length);
  return lengths;
}

NamedValues Sweep::combination(std::span<const std::size_t> at) const {
  NamedValues values;
  for (const std::string& name : names_) values.emplace_back(name, Value());
  for (std::size_t group = 0; group < groups_.size(); ++group) set_group(values, group, at[group]);
  return values;
}

void Sweep::set_group(NamedValues& values, std::size_t group, std::size_t at) const {
  for (const std::size_t axis : groups_[group].axes) values[axis].second = values_[axis][at];
}

void Sweep::for_each_place(
    const std::function<void(std::span<const std::size_t> at)>& visit) const {
  if (size_ == 0) return;
  std::vector<std::size_t> at(groups_.size(), 0);
  for (std::size_t number = 0;; ++number) {
    if (dropped_.empty() || !dropped_[number]) visit(at);
    std::size_t turning = groups_.size();
    for (; turning > 0; --turning) {
      if (++at[turning - 1] < groups_[turning - 1].length) break;
      at[turning - 1] = 0;
    }
    if (turning == 0) return;
  }
}

std::vector<NamedValues> Sweep::combinations() const {
  std::vector<NamedValues> all;
  all.reserve(size_);
  for_each([&](const NamedValues& values) { all.push_back(values); });
  return all;
}

std::vector<NamedValues> expand(const WorkloadSpec& workload, const ScalarTyper& typer,
                                std::size_t allowed_cases) {
  return Sweep(workload, typer, allowed_cases).combinations();
}

void for_each_combination(const WorkloadSpec& workload, const ScalarTyper& typer,
                          std::size_t allowed_cases,
                          const std::function<void(const NamedValues&)>& visit) {
  Sweep(workload, typer, allowed_cases).for_each(visit);
}

}  // namespace kernelbatch
