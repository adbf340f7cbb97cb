// Which cases are a task's: the same answer in every task, from the job alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/value.hpp"
#include "core/job/slurm.hpp"
#include "core/job/sweep.hpp"

namespace kernelbatch {

/// Bytes that each of these cases of one workload needs, 0 where unknown.
using Footprints = std::function<std::vector<double>(const std::vector<NamedValues>& cases)>;

/// What cases cost relative to each other, from a few of them: each value of an axis (or zip group)
/// is asked for once, the others at their first, and counts as a factor. Exact for products; and a
/// million cases are a few hundred questions.
class CostModel {
 public:
  CostModel(const Sweep& sweep, const Footprints& footprints, std::size_t variants);

  /// `at` as Sweep::for_each_place() gives it.
  double of(std::span<const std::size_t> at) const noexcept;

 private:
  double base_ = 1;
  std::vector<std::vector<double>> factors_;  ///< of each group's places
};

/// The task, of `count`, that the case of this rank gets: dealt in turns that go there and back, so
/// that neither the first nor the last task gets the larger one each time.
std::size_t dealt_to(std::size_t rank, std::size_t count) noexcept;

struct OwnCase {
  std::size_t number = 0;  ///< among all cases of the job
  std::size_t rank = 0;    ///< by falling cost, then by number
};

/// The cases of a shard, by number: dealt by rank. `costs` are those of all cases.
std::vector<OwnCase> own_cases(const std::vector<double>& costs, const JobShard& shard);

/// Of the shard's results in the folder of shards: each rule has names of its own, so that a run
/// that goes on finds what the other left.
std::string shard_name(const JobShard& shard);

}  // namespace kernelbatch
