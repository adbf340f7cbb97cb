// Strategy: chooses the next configuration to try.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/search/space.hpp"
#include "core/search/strategy_name.hpp"

namespace kernelbatch {

/// A tried configuration.
struct Tried {
  Configuration configuration;
  double time = 0;  ///< s; NaN if it failed
};

/// Provides configurations and receives their outcomes. It knows only parameters and times. The
/// same seed and outcomes give the same sequence. Not thread-safe.
class Strategy {
 public:
  Strategy(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// A configuration that was neither returned nor reported before; std::nullopt if none is left.
  std::optional<Configuration> ask();
  /// At most `count` configurations that ask() may return next: planned ones, or random ones if
  /// nothing is planned.
  std::vector<Configuration> upcoming(std::size_t count) const;
  /// Reports an outcome: `time` in seconds; NaN for any failure. Configurations from other sources
  /// are accepted: another process's, an earlier search's. If one is reported twice, the first time
  /// counts.
  void tell(const Configuration& configuration, double time);

  const std::vector<Tried>& tried() const noexcept { return tried_; }
  /// nullptr while nothing was successful.
  const Tried* best() const noexcept;

 protected:
  const SearchSpace& space() const noexcept { return space_; }
  SearchRandom& random() noexcept { return random_; }
  bool is_known(const Configuration& configuration) const;
  /// The reported time; std::nullopt if there is none yet.
  std::optional<double> time_of(const Configuration& configuration) const;
  /// Queues a configuration for ask(), unless it is known by then.
  void plan(Configuration configuration) { queue_.push_back(std::move(configuration)); }
  void drop_plans() { queue_.clear(); }

 private:
  /// Plans the next configurations; called when the queue is empty. If it plans nothing new, a
  /// random configuration is returned.
  virtual void refill() = 0;
  virtual void take(const Configuration& configuration, double time);

  const SearchSpace& space_;
  SearchRandom random_;
  std::deque<Configuration> queue_;
  std::unordered_map<std::uint64_t, double> known_;  ///< kAsked until reported
  std::vector<Tried> tried_;
  std::size_t best_ = 0;
  bool has_best_ = false;
};

/// `space` must outlive it.
std::unique_ptr<Strategy> make_strategy(SearchStrategy strategy, const SearchSpace& space,
                                        std::uint64_t seed);

}  // namespace kernelbatch
