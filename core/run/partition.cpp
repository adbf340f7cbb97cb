#include "core/run/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace kernelbatch {

CostModel::CostModel(const Sweep& sweep, const Footprints& footprints, std::size_t variants) {
  const std::vector<std::size_t> lengths = sweep.group_lengths();
  std::vector<std::size_t> at(lengths.size(), 0);
  std::vector<NamedValues> cases{sweep.combination(at)};
  for (std::size_t group = 0; group < lengths.size(); ++group) {
    for (std::size_t k = 1; k < lengths[group]; ++k) {
      at[group] = k;
      cases.push_back(sweep.combination(at));
    }
    at[group] = 0;
  }
  std::vector<double> bytes(cases.size(), 0);
  if (footprints) bytes = footprints(cases);
  const bool is_known = bytes.front() > 0;
  base_ = (is_known ? bytes.front() : 1) * static_cast<double>(variants);
  std::size_t asked = 1;
  for (const std::size_t length : lengths) {
    std::vector<double>& factors = factors_.emplace_back(length, 1);
    for (std::size_t k = 1; k < length; ++k, ++asked)
      if (is_known && std::isfinite(bytes[asked]) && bytes[asked] > 0)
        factors[k] = bytes[asked] / bytes.front();
  }
}

double CostModel::of(std::span<const std::size_t> at) const noexcept {
  double cost = base_;
  for (std::size_t group = 0; group < at.size(); ++group) cost *= factors_[group][at[group]];
  return cost;
}

std::size_t owner_of(std::size_t rank, std::size_t count) noexcept {
  const std::size_t place = rank % count;
  return rank / count % 2 == 0 ? place : count - 1 - place;
}

std::vector<OwnCase> own_cases(const std::vector<double>& costs, const JobShard& shard) {
  std::vector<std::uint32_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return costs[a] != costs[b] ? costs[a] > costs[b] : a < b;
  });
  std::vector<OwnCase> own;
  for (std::size_t turn = 0; turn < order.size(); turn += shard.count) {
    const bool goes_back = turn / shard.count % 2 != 0;
    const std::size_t rank = turn + (goes_back ? shard.count - 1 - shard.index : shard.index);
    if (rank < order.size()) own.push_back({order[rank], rank, costs[order[rank]]});
  }
  std::ranges::sort(own, {}, &OwnCase::number);
  return own;
}

std::string shard_name(const JobShard& shard) {
  if (shard.count == 1) return "0";
  return fmt::format("{}-of-{}-by-cost", shard.index + 1, shard.count);
}

}  // namespace kernelbatch
