// Cases of a task: computed from the job only, equal in every task.
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

/// Bytes that each of these cases of one workload needs, 0 if unknown.
using Footprints = std::function<std::vector<double>(const std::vector<NamedValues>& cases)>;

/// Relative costs of cases, from few queries: each value of an axis (or zip group) is queried once,
/// with the others at their first value, and counts as a factor. Exact for products; a million
/// cases need a few hundred queries.
class CostModel {
 public:
  CostModel(const Sweep& sweep, const Footprints& footprints, std::size_t variants);

  /// `at` as Sweep::for_each_place() gives it.
  double of(std::span<const std::size_t> at) const noexcept;

 private:
  double base_ = 1;
  std::vector<std::vector<double>> factors_;  ///< by group and place
};

/// Task, of `count`, of the case with this rank: assigned in snake order, so that no task always
/// gets the larger case.
std::size_t owner_of(std::size_t rank, std::size_t count) noexcept;

struct OwnCase {
  std::size_t number = 0;  ///< among all cases of the job
  std::size_t rank = 0;    ///< in descending cost, then by number
  double cost = 0;
};

/// Cases of a shard sorted by number, assigned by rank. `costs` are those of all cases.
std::vector<OwnCase> own_cases(const std::vector<double>& costs, const JobShard& shard);

/// Name of the shard's folder. Each assignment rule has different names, so that a resumed run
/// finds earlier results.
std::string shard_name(const JobShard& shard);

}  // namespace kernelbatch
