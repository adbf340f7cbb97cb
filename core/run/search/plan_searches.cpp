#include "core/run/search/plan_searches.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/run/partition.hpp"
#include "core/run/plan_workload.hpp"

namespace kernelbatch {
namespace {

/// A single invalid combination of a search costs a try; if all of the first ones are invalid, the
/// job is.
void check_some(const PlannedWorkload& planned, const PlannedSearch& search,
                const Configuration& first, const std::string& folder) {
  constexpr int kMost = 64;
  const SearchSpace space = search.space();
  const auto any = [](std::uint64_t) { return true; };
  std::exception_ptr wrong;
  std::optional<Configuration> one = first;
  for (int k = 0; k < kMost; ++k) {
    try {
      return check_case(planned, search.values(*one), folder);
    } catch (const SpecError&) {
      if (!wrong) wrong = std::current_exception();
    }
    const std::uint64_t next = space.number_of(*one) + 1;
    one = space.next(next == space.combinations() ? 0 : next, any);
    if (!one || *one == first) break;
  }
  std::rethrow_exception(wrong);
}

}  // namespace

void add_searches(Plan& plan, std::size_t index, const std::shared_ptr<const SweptWorkload>& swept,
                  std::size_t allowed_cases, const std::string& folder) {
  const PlannedWorkload& planned = plan.workloads[index];
  const TuneSpec& tune = *planned.spec.tune;
  const std::filesystem::path job_folder = folder;
  const std::vector<std::size_t> lengths = swept->sweep.group_lengths();
  const std::vector<std::size_t> others = PlannedSearch::other_groups(swept->sweep, tune);
  std::size_t problems = 1;
  for (const std::size_t group : others) problems *= lengths[group];
  check_case_limit(problems, allowed_cases, fmt::format("'{}'", planned.info.name),
                   planned.spec.place);
  if (!tune.start_from.text.empty() && !std::filesystem::exists(job_folder / tune.start_from.text))
    fail_at(tune.start_from.place, fmt::format("'start_from': there is no file '{}'",
                                               (job_folder / tune.start_from.text).string()));
  std::vector<std::string> variants = planned.variants;
  if (variants.size() > 1) std::erase(variants, planned.reference);
  std::vector<std::size_t> at(lengths.size(), 0);
  for (std::size_t problem = 0; problem < problems; ++problem) {
    std::size_t rest = problem;
    for (auto group = others.rbegin(); group != others.rend(); ++group) {
      at[*group] = rest % lengths[*group];
      rest /= lengths[*group];
    }
    for (const std::string& variant : variants) {
      PlannedSearch search(index, variant, swept, tune, at);
      const auto first = search.space().next(0, [](std::uint64_t) { return true; });
      // The filters exclude all combinations of this problem.
      if (!first) continue;
      if (plan.searches.empty() || plan.searches.back().workload() != index)
        check_some(planned, search, *first, folder);
      plan.searches.push_back(std::move(search));
    }
  }
  if (plan.searches.empty() || plan.searches.back().workload() != index)
    fail_at(planned.spec.exclude.front().place, "'exclude' leaves no case: every one is excluded");
}

}  // namespace kernelbatch
