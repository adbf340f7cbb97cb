#include "core/report/history/point_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernelbatch::history {

std::vector<std::size_t> order_of_moments(std::span<const Moment> moments) {
  std::vector<std::size_t> order(moments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return moments[k].start_ns; });
  std::vector<std::size_t> ranked;
  std::ranges::copy_if(order, std::back_inserter(ranked),
                       [&](std::size_t k) { return moments[k].rank >= 0; });
  std::ranges::stable_sort(ranked, {}, [&](std::size_t k) { return moments[k].rank; });
  auto next = ranked.begin();
  for (std::size_t& k : order)
    if (moments[k].rank >= 0) k = *next++;
  return order;
}

bool is_same_commit(std::string_view a, std::string_view b) {
  constexpr std::size_t kFewestLetters = 4;
  if (std::min(a.size(), b.size()) < kFewestLetters) return false;
  return a.starts_with(b) || b.starts_with(a);
}

std::int64_t rank_of_commit(std::string_view commit, std::span<const std::string> commits) {
  const auto found = std::ranges::find_if(
      commits, [&](const std::string& listed) { return is_same_commit(commit, listed); });
  return found == commits.end() ? -1 : found - commits.begin();
}

}  // namespace kernelbatch::history
