#include "core/run/search/planned_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

bool is_tuned(const TuneSpec& tune, const std::string& name) {
  return std::ranges::find(tune.params, name, &Scalar::text) != tune.params.end();
}

/// True if a group is searched. Its parameters are all searched, or none of them.
bool is_searched(const Sweep& sweep, std::size_t group, const TuneSpec& tune) {
  const std::vector<std::string> names = sweep.group_names(group);
  const bool first = is_tuned(tune, names.front());
  for (const std::string& name : names)
    if (is_tuned(tune, name) != first)
      fail_at(tune.params.front().place,
              fmt::format("'zip' joins '{}' and '{}', of which 'tune' searches one", names.front(),
                          name));
  return first;
}

std::string text_of(const NamedValues& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &NamedValues::value_type::first);
  return found == values.end() ? std::string() : to_text(found->second);
}

}  // namespace

std::string to_text(const TuneBudget& budget) {
  return budget.tries > 0 ? fmt::format("{} tries", budget.tries)
                          : fmt::format("{:.6g} s", budget.seconds);
}

std::vector<std::size_t> PlannedSearch::other_groups(const Sweep& sweep, const TuneSpec& tune) {
  std::vector<std::size_t> others;
  for (std::size_t group = 0; group < sweep.group_lengths().size(); ++group)
    if (!is_searched(sweep, group, tune)) others.push_back(group);
  return others;
}

PlannedSearch::PlannedSearch(std::size_t workload, std::string variant,
                             std::shared_ptr<const SweptWorkload> swept, const TuneSpec& tune,
                             std::vector<std::size_t> at)
    : workload_(workload),
      variant_(std::move(variant)),
      swept_(std::move(swept)),
      tune_(tune),
      at_(std::move(at)) {
  for (std::size_t group = 0; group < at_.size(); ++group)
    if (is_searched(swept_->sweep, group, tune_)) searched_.push_back(group);
}

std::vector<std::size_t> PlannedSearch::place(const Configuration& configuration) const {
  std::vector<std::size_t> at = at_;
  for (std::size_t k = 0; k < searched_.size(); ++k) at[searched_[k]] = configuration[k];
  return at;
}

NamedValues PlannedSearch::values(const Configuration& configuration) const {
  return swept_->sweep.combination(place(configuration));
}

SearchSpace PlannedSearch::space() const {
  const std::vector<std::size_t> lengths = swept_->sweep.group_lengths();
  std::vector<std::uint32_t> searched;
  for (const std::size_t group : searched_) {
    if (lengths[group] > std::numeric_limits<std::uint32_t>::max())
      fail_at(tune_.params.front().place, "'tune': a parameter has too many values");
    searched.push_back(static_cast<std::uint32_t>(lengths[group]));
  }
  const auto& filters = swept_->sweep.filters();
  if (filters.empty()) return SearchSpace(std::move(searched));
  return SearchSpace(std::move(searched), [this, &filters, all = swept_->sweep.combination(at_)](
                                              std::span<const std::uint32_t> at) mutable {
    for (std::size_t k = 0; k < searched_.size(); ++k)
      swept_->sweep.set_group(all, searched_[k], at[k]);
    return std::ranges::none_of(filters,
                                [&](const Expression& filter) { return filter.holds(all); });
  });
}

std::optional<Configuration> PlannedSearch::configuration_of(const NamedValues& given) const {
  const std::vector<std::size_t> lengths = swept_->sweep.group_lengths();
  std::vector<std::size_t> at = at_;
  Configuration configuration;
  for (const std::size_t group : searched_) {
    const std::vector<std::string> names = swept_->sweep.group_names(group);
    bool is_found = false;
    for (std::size_t value = 0; value < lengths[group] && !is_found; ++value) {
      at[group] = value;
      const NamedValues own = swept_->sweep.combination(at);
      is_found = std::ranges::all_of(names, [&](const std::string& name) {
        return text_of(own, name) == text_of(given, name);
      });
      if (is_found) configuration.push_back(static_cast<std::uint32_t>(value));
    }
    if (!is_found) return std::nullopt;
  }
  return space().contains(configuration) ? std::optional(configuration) : std::nullopt;
}

bool PlannedSearch::is_of_this_problem(const NamedValues& given) const {
  const NamedValues own = swept_->sweep.combination(at_);
  return std::ranges::all_of(own, [&](const auto& value) {
    return is_tuned(tune_, value.first) || text_of(given, value.first) == to_text(value.second);
  });
}

std::size_t PlannedSearch::most_tries() const {
  constexpr std::uint64_t kMostAsked = 1'000'000;
  const SearchSpace all = space();
  std::uint64_t most = all.combinations();
  if (tune_.budget->tries > 0)
    most = std::min<std::uint64_t>(most, static_cast<std::uint64_t>(tune_.budget->tries));
  if (swept_->sweep.filters().empty()) return static_cast<std::size_t>(most);
  std::uint64_t count = 0;
  for (std::uint64_t number = 0; number < std::min(all.combinations(), kMostAsked) && count < most;
       ++number)
    if (all.contains(all.at(number))) ++count;
  return static_cast<std::size_t>(all.combinations() > kMostAsked ? most : count);
}

}  // namespace kernelbatch
