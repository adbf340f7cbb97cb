#include "core/run/queue/lots.hpp"

#include <numeric>

namespace kernelbatch {

std::vector<std::size_t> lots_of(std::span<const double> costs) {
  constexpr double kPart = 1.0 / 8;
  double left = std::accumulate(costs.begin(), costs.end(), 0.0);
  std::vector<std::size_t> lots;
  for (std::size_t at = 0; at < costs.size();) {
    const double most = left * kPart;
    double cost = 0;
    std::size_t count = 0;
    do {
      cost += costs[at++];
      ++count;
    } while (at < costs.size() && cost + costs[at] <= most);
    left -= cost;
    lots.push_back(count);
  }
  return lots;
}

}  // namespace kernelbatch
