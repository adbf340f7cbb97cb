#include "core/search/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/statistics.hpp"

namespace kernelbatch {
namespace {

/// Known configurations of the model, and how many more may be added before it is reduced.
constexpr std::size_t kMost = 160, kSpare = kMost / 4;
/// Candidates from each of the fastest, changed in two or three parameters.
constexpr int kFarther = 20;

double normal_density(double z) { return 0.3989422804014327 * std::exp(-0.5 * z * z); }
double normal_below(double z) { return 0.5 * std::erfc(-z * 0.7071067811865476); }

/// Expected improvement below `aim`.
double expected_improvement(const GaussianProcess::Prediction& p, double aim) {
  const double z = (aim - p.mean) / p.deviation;
  return p.deviation * (z * normal_below(z) + normal_density(z));
}

}  // namespace

/// Selects the entries of tried() that the model knows. The selection changes rarely: an unchanged
/// prefix costs the model nothing.
void ModelSearch::choose() {
  if (tried().size() <= kMost) chosen_.clear();
  for (std::size_t k = chosen_.empty() ? 0 : newest_ + 1; k < tried().size(); ++k)
    chosen_.push_back(k);
  newest_ = tried().size() - 1;
  if (chosen_.size() <= kMost + kSpare) return;
  // The best half, and the newest of the rest.
  const auto time = [this](std::size_t k) {
    return std::isnan(tried()[k].time) ? INFINITY : tried()[k].time;
  };
  const auto half = chosen_.begin() + static_cast<std::ptrdiff_t>(kMost / 2);
  std::ranges::stable_sort(chosen_, {}, time);
  std::sort(half, chosen_.end(), std::greater<>());
  chosen_.resize(kMost);
  std::ranges::sort(chosen_);
}

/// Fits the logarithms of the times; failures count as slow. Differences among slow times do not
/// matter.
void ModelSearch::learn() {
  choose();
  std::vector<double> sorted;
  for (const Tried& each : tried())
    if (!std::isnan(each.time)) sorted.push_back(std::log(each.time));
  std::ranges::sort(sorted);
  const double most = quantile(sorted, settings_.clip);
  std::vector<Configuration> configurations;
  std::vector<double> values;
  for (const std::size_t k : chosen_) {
    const Tried& each = tried()[k];
    configurations.push_back(each.configuration);
    values.push_back(std::isnan(each.time) ? most : std::min(std::log(each.time), most));
  }
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double each : values) square += (each - mean) * (each - mean) / count;
  const double scale = std::max(std::sqrt(square), 1e-9);
  for (double& each : values) each = (each - mean) / scale;
  best_value_ = (std::log(best()->time) - mean) / scale;
  model_.set(std::move(configurations), std::move(values));
  if (fitted_ == 0 || tried().size() >= fitted_ + std::max<std::size_t>(8, fitted_ / 4)) {
    model_.fit(fitted_ == 0 ? 4 : 1);
    fitted_ = tried().size();
  }
  learnt_ = tried().size();
}

std::vector<Configuration> ModelSearch::candidates() {
  std::vector<std::size_t> order(tried().size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::erase_if(order, [this](std::size_t k) { return std::isnan(tried()[k].time); });
  const std::size_t elite = std::min(settings_.elite, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(elite), {},
                            [this](std::size_t k) { return tried()[k].time; });
  std::set<std::uint64_t> seen;
  std::vector<Configuration> all;
  const auto add = [&](Configuration configuration) {
    if (!is_known(configuration) && seen.insert(space().number_of(configuration)).second)
      all.push_back(std::move(configuration));
  };
  for (std::size_t k = 0; k < elite; ++k) {
    const Configuration& centre = tried()[order[k]].configuration;
    for (Configuration& each : space().neighbours(centre)) add(std::move(each));
    for (int step = 0; step < kFarther; ++step) {
      Configuration other = centre;
      const int changes = 2 + step % 2;
      for (int change = 0; change < changes; ++change) {
        const std::size_t p = random_below(random(), other.size());
        other[p] = static_cast<std::uint32_t>(random_below(random(), space().values(p)));
      }
      if (space().contains(other)) add(std::move(other));
    }
  }
  for (std::size_t k = all.size(); k > settings_.neighbours; --k) {
    std::swap(all[k - 1], all[random_below(random(), k)]);
    all.pop_back();
  }
  for (std::size_t k = 0; k < settings_.anywhere; ++k)
    if (auto any = space().random(random())) add(std::move(*any));
  return all;
}

void ModelSearch::refill() {
  if (tried().size() < settings_.first || best() == nullptr) return;
  if (learnt_ != tried().size()) learn();
  struct Candidate {
    Configuration configuration;
    double gain = 0;
  };
  std::vector<Candidate> rated;
  const double aim = best_value_ - settings_.least_gain;
  for (Configuration& each : candidates()) {
    const double gain = expected_improvement(model_.estimate(each), aim);
    rated.push_back({std::move(each), gain});
  }
  constexpr std::size_t kClosely = 12;
  const std::size_t closely = std::min(kClosely, rated.size());
  std::ranges::partial_sort(rated, rated.begin() + static_cast<std::ptrdiff_t>(closely),
                            std::ranges::greater{}, &Candidate::gain);
  rated.resize(closely);
  for (Candidate& each : rated)
    each.gain = expected_improvement(model_.predict(each.configuration), aim);
  std::ranges::sort(rated, std::ranges::greater{}, &Candidate::gain);
  for (std::size_t k = 0; k < std::min(settings_.planned, rated.size()); ++k)
    plan(std::move(rated[k].configuration));
}

}  // namespace kernelbatch
