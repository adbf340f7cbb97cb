#include "core/run/search/tuning_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/text.hpp"

namespace kernelbatch {

TuningSearch::TuningSearch(const PlannedSearch& planned, std::vector<Configuration> first,
                           std::size_t task)
    : planned_(planned),
      space_(planned.space()),
      strategy_(make_strategy(planned.tune().search, space_,
                              static_cast<std::uint64_t>(planned.tune().seed) + task)),
      first_(first.begin(), first.end()),
      warm_(std::move(first)) {}

std::optional<Configuration> TuningSearch::next() {
  const TuneBudget& budget = *planned_.tune().budget;
  if (budget.tries > 0 && strategy_->tried().size() >= static_cast<std::size_t>(budget.tries))
    return std::nullopt;
  if (budget.seconds > 0 && spent_s_ >= budget.seconds) return std::nullopt;
  while (!first_.empty()) {
    const Configuration one = first_.front();
    first_.pop_front();
    if (!knows(one)) return one;
  }
  return strategy_->ask();
}

std::vector<Configuration> TuningSearch::upcoming(std::size_t count) const {
  if (first_.empty()) return strategy_->upcoming(count);
  return {first_.begin(),
          first_.begin() + static_cast<std::ptrdiff_t>(std::min(count, first_.size()))};
}

bool TuningSearch::knows(const Configuration& configuration) const {
  return std::ranges::any_of(
      strategy_->tried(), [&](const Tried& each) { return each.configuration == configuration; });
}

void TuningSearch::tell(const Configuration& configuration, const Try& made) {
  const bool is_timed = made.status == Status::kOk || made.status == Status::kDropped;
  const double time = is_timed ? made.cold.median : kMissing;
  spent_s_ += made.spent_s;
  strategy_->tell(configuration, time);
  if (made.status != Status::kOk || std::isnan(time)) return;
  if (!best_ || time < best_->median) best_ = made.cold;
  if (std::ranges::find(warm_, configuration) != warm_.end())
    best_warm_ = std::fmin(best_warm_, time);
}

/// A first sample may lie above the median by the scatter of samples.
double TuningSearch::drop_above() const {
  constexpr double kSigmaOfIqr = 1.349, kSigmas = 4, kLeast = 1.02;
  if (!planned_.tune().racing || !best_) return 0;
  const double scatter = std::isnan(best_->iqr) ? 0 : kSigmas * best_->iqr / kSigmaOfIqr;
  return kLeast * std::fmax(best_->ci95_high, best_->median + scatter);
}

std::string TuningSearch::gain_text() const {
  if (std::isnan(best_warm_)) return "";
  return fmt::format(
      "{} configurations of {} were tried first: the best of them took {}, the best of "
      "all {} tries {}",
      warm_.size(), planned_.tune().start_from.text, format_seconds(best_warm_),
      strategy_->tried().size(), format_seconds(best_->median));
}

std::vector<Configuration> earlier_best(const PlannedSearch& planned, const std::string& workload,
                                        const std::vector<ResultRecord>& results) {
  constexpr std::size_t kMost = 8;
  struct Earlier {
    double time;
    Configuration configuration;
  };
  // Groups results by problem and device; the searched problem first.
  std::map<std::tuple<bool, std::string, std::string>, std::vector<Earlier>> problems;
  for (const ResultRecord& record : results) {
    if ((!workload.empty() && record.workload != workload) || record.variant != planned.variant())
      continue;
    if (std::isnan(record.ranked_time())) continue;
    auto configuration = planned.configuration_of(record.params);
    if (!configuration) continue;
    NamedValues others;
    for (const auto& value : record.params)
      if (std::ranges::find(planned.tune().params, value.first, &Scalar::text) ==
          planned.tune().params.end())
        others.push_back(value);
    problems[{!planned.is_of_this_problem(record.params), record.device, to_text(others)}]
        .push_back({record.ranked_time(), std::move(*configuration)});
  }
  for (auto& [problem, tried] : problems) std::ranges::stable_sort(tried, {}, &Earlier::time);
  std::vector<Configuration> best;
  for (std::size_t rank = 0; rank < kMost; ++rank)
    for (const auto& [problem, tried] : problems)
      if (rank < tried.size() && best.size() < kMost &&
          std::ranges::find(best, tried[rank].configuration) == best.end())
        best.push_back(tried[rank].configuration);
  return best;
}

}  // namespace kernelbatch
