#include "core/run/queue/work_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "core/run/queue/lots.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

WorkQueue::Cases by_cost(WorkQueue::Cases cases) {
  std::ranges::sort(cases, {}, [](const PlannedCase& each) { return each.rank.value_or(0); });
  return cases;
}

/// Marks a share whose lots are all finished, so that others need not read its claims.
fs::path finished_mark(const fs::path& folder, std::size_t share) {
  return folder / fmt::format("{}.finished", share);
}

}  // namespace

WorkQueue::WorkQueue(Claims& claims, const JobShard& own, Cases own_cases, PlanShare plan_share)
    : claims_(claims),
      own_(own),
      own_cases_(by_cost(std::move(own_cases))),
      plan_share_(std::move(plan_share)),
      own_share_{.index = own.index} {}

std::optional<WorkQueue::Work> WorkQueue::take(Share& share, const Cases& cases) {
  std::vector<double> costs;
  for (const PlannedCase& each : cases) costs.push_back(each.cost);
  const std::vector<std::size_t> lots = lots_of(costs);
  while (share.lot < lots.size()) {
    const std::string key = fmt::format("{}/{}", share.index, share.lot);
    const auto first = cases.begin() + static_cast<std::ptrdiff_t>(share.first);
    const std::size_t count = lots[share.lot++];
    share.first += count;
    const Claims::Taken taken = claims_.take(key);
    if (taken != Claims::Taken::kDone) share.is_finished = false;
    if (taken == Claims::Taken::kFirst || taken == Claims::Taken::kAgain)
      return Work{.key = key,
                  .cases = {first, first + static_cast<std::ptrdiff_t>(count)},
                  .is_own = share.index == own_.index,
                  .is_first = taken == Claims::Taken::kFirst};
  }
  if (share.is_finished) std::ofstream(finished_mark(claims_.folder(), share.index));
  return std::nullopt;
}

/// Lists shares that may have free lots, beginning after the own one. It is listed, too: if its
/// lots are finished by now, that is marked.
void WorkQueue::list_others() {
  others_.emplace();
  std::set<fs::path> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(claims_.folder(), ignored))
    names.insert(entry.path());
  for (std::size_t k = 1; k <= own_.count; ++k) {
    const std::size_t index = (own_.index + k) % own_.count;
    if (!names.contains(finished_mark(claims_.folder(), index)))
      others_->push_back({.index = index});
  }
}

std::optional<WorkQueue::Work> WorkQueue::next() {
  if (auto work = take(own_share_, own_cases_)) return work;
  if (!others_) list_others();
  while (!others_->empty()) {
    turn_ %= others_->size();
    Share& share = (*others_)[turn_];
    auto work = share.index == own_.index ? take(share, own_cases_)
                                          : take(share, by_cost(plan_share_(share.index)));
    if (work) {
      ++turn_;
      return work;
    }
    others_->erase(others_->begin() + static_cast<std::ptrdiff_t>(turn_));
  }
  return std::nullopt;
}

}  // namespace kernelbatch
