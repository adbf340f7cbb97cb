#include "core/search/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernelbatch {

GaussianProcess::GaussianProcess(const SearchSpace& space, double differs) : differs_(differs) {
  for (std::size_t k = 0; k < space.parameters(); ++k) {
    starts_.push_back(table_.size());
    lengths_.push_back(space.values(k));
    table_.resize(table_.size() + lengths_.back());
  }
  weights_.assign(lengths_.size(), 1.0);
  tabulate();
}

void GaussianProcess::tabulate() {
  for (std::size_t k = 0; k < lengths_.size(); ++k)
    for (std::uint32_t apart = 1; apart < lengths_[k]; ++apart)
      table_[starts_[k] + apart] =
          weights_[k] * (differs_ + (1 - differs_) * apart / (lengths_[k] - 1));
}

double GaussianProcess::covariance(const Configuration& a, const Configuration& b) const {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += table_[starts_[k] + (a[k] > b[k] ? a[k] - b[k] : b[k] - a[k])];
  return std::exp(-sum);
}

bool GaussianProcess::factorise(std::size_t from) {
  const std::size_t n = values_.size();
  factor_.resize(n);
  for (std::size_t i = from; i < n; ++i) {
    std::vector<double>& row = factor_[i];
    row.resize(i + 1);
    double square = 1 + noise_;
    for (std::size_t j = 0; j < i; ++j) {
      const double* const other = factor_[j].data();
      double sum = covariance(configurations_[i], configurations_[j]);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
      square -= row[j] * row[j];
    }
    constexpr double kPositive = 1e-12;
    if (!(square > kPositive)) return false;
    row[i] = std::sqrt(square);
  }
  return true;
}

double GaussianProcess::solve() {
  const std::size_t n = values_.size();
  double log_determinant = 0, fit = 0;
  alpha_ = values_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) alpha_[i] -= factor_[i][k] * alpha_[k];
    alpha_[i] /= factor_[i][i];
    log_determinant += std::log(factor_[i][i]);
    fit += alpha_[i] * alpha_[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    alpha_[i] /= factor_[i][i];
    for (std::size_t k = 0; k < i; ++k) alpha_[k] -= factor_[i][k] * alpha_[i];
  }
  return -0.5 * fit - log_determinant;
}

void GaussianProcess::set(std::vector<Configuration> configurations, std::vector<double> values) {
  std::size_t same = 0;
  const std::size_t most = std::min(configurations.size(), configurations_.size());
  while (same < most && configurations[same] == configurations_[same]) ++same;
  configurations_ = std::move(configurations);
  values_ = std::move(values);
  while (!factorise(same)) {
    noise_ *= 10;
    same = 0;
  }
  solve();
}

void GaussianProcess::fit(int steps) {
  constexpr double kLeastWeight = 0.02, kMostWeight = 20, kLeastNoise = 1e-4, kMostNoise = 0.5;
  // The prior expects weights of about 1, so that a few values do not make a parameter irrelevant.
  const auto prior = [&] {
    double sum = 0;
    for (const double weight : weights_) sum -= 0.5 * std::pow(std::log(weight) / 1.5, 2);
    return sum - 0.5 * std::pow(std::log(noise_ / 1e-2) / 2, 2);
  };
  double best = likelihood() + prior();
  for (int step = 0; step < steps; ++step)
    for (std::size_t k = 0; k <= weights_.size(); ++k) {
      if (k < weights_.size() && lengths_[k] < 2) continue;
      double& value = k < weights_.size() ? weights_[k] : noise_;
      const double low = k < weights_.size() ? kLeastWeight : kLeastNoise;
      const double high = k < weights_.size() ? kMostWeight : kMostNoise;
      const double before = value;
      for (const double factor : {1.8, 1 / 1.8}) {
        value = std::clamp(before * factor, low, high);
        tabulate();
        const double now = value == before ? -INFINITY : likelihood() + prior();
        if (now > best) {
          best = now;
          break;
        }
        value = before;
      }
      tabulate();
    }
  likelihood();
}

GaussianProcess::Prediction GaussianProcess::estimate(const Configuration& configuration) const {
  double mean = 0, nearest = 0;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double c = covariance(configuration, configurations_[k]);
    mean += c * alpha_[k];
    nearest = std::max(nearest, c);
  }
  return {mean, std::sqrt(std::max(1e-12, 1 - nearest * nearest / (1 + noise_)))};
}

GaussianProcess::Prediction GaussianProcess::predict(const Configuration& configuration) const {
  const std::size_t n = values_.size();
  std::vector<double> v(n);
  double mean = 0, explained = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = covariance(configuration, configurations_[i]);
    mean += sum * alpha_[i];
    const double* const row = factor_[i].data();
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * v[k];
    v[i] = sum / row[i];
    explained += v[i] * v[i];
  }
  return {mean, std::sqrt(std::max(1e-12, 1 - explained))};
}

}  // namespace kernelbatch
