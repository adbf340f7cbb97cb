// Which configuration is tried next.
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

/// One configuration that was tried.
struct Tried {
  Configuration configuration;
  double time = 0;  ///< s; NaN where it failed
};

/// Asked for configurations and told what became of them. It knows parameters and times, nothing of
/// GPUs. The same sequence for the same seed and the same answers. Not thread-safe.
class Strategy {
 public:
  Strategy(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// One that was neither given nor told before; nullopt where there is none left.
  std::optional<Configuration> ask();
  /// `time` in seconds; NaN: it failed, whatever the reason. Also of configurations that were not
  /// asked for: another process's, an earlier search's. Of one that was told before the first time
  /// counts.
  void tell(const Configuration& configuration, double time);

  const std::vector<Tried>& tried() const noexcept { return tried_; }
  /// nullptr while nothing was right.
  const Tried* best() const noexcept;

 protected:
  const SearchSpace& space() const noexcept { return space_; }
  SearchRandom& random() noexcept { return random_; }
  bool is_known(const Configuration& configuration) const;
  /// The time that was told; nullopt where none was yet.
  std::optional<double> time_of(const Configuration& configuration) const;
  /// To be given by ask(), in order, unless known by then.
  void plan(Configuration configuration) { queue_.push_back(std::move(configuration)); }
  void drop_plans() { queue_.clear(); }

 private:
  /// Plans what is next; nothing is planned when it is called. Where it plans nothing new either, a
  /// random configuration is given.
  virtual void refill() = 0;
  virtual void take(const Configuration& configuration, double time);

  const SearchSpace& space_;
  SearchRandom random_;
  std::deque<Configuration> queue_;
  std::unordered_map<std::uint64_t, double> known_;  ///< kAsked until told
  std::vector<Tried> tried_;
  std::size_t best_ = 0;
  bool has_best_ = false;
};

/// `space` must outlive it.
std::unique_ptr<Strategy> make_strategy(SearchStrategy strategy, const SearchSpace& space,
                                        std::uint64_t seed);

}  // namespace kernelbatch
