#include "core/app/slurm/shared_work.hpp"

#include <algorithm>

#include "core/app/job_state.hpp"
#include "core/base/error.hpp"
#include "core/run/missing_work.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

/// A guess, only for the size of the array.
double seconds_per_result(const MeasureSpec& measure) {
  const double typical = measure.preset == Preset::kQuick   ? 1
                         : measure.preset == Preset::kPaper ? 30
                                                            : 5;
  return std::min(measure.timeout_s, typical);
}

/// No results if there is no file yet.
JobProgress progress_of(const fs::path& results) {
  try {
    return job_progress(results);
  } catch (const SpecError&) {
    return {};
  }
}

}  // namespace

SharedWork missing_shared_work(const JobSpec& job, const Plan& plan, const fs::path& results) {
  SharedWork work{.all_parts = plan.cases.size(),
                  .seconds_per_result = seconds_per_result(job.measure)};
  const MissingWork missing = missing_work(job, plan, job.output.history ? fs::path() : results);
  work.parts = missing.cases;
  work.results = missing.results;
  if (plan.searches.empty()) return work;
  const JobProgress progress = job.output.history ? JobProgress{} : progress_of(results);
  for (const PlannedSearch& search : plan.searches) {
    const std::size_t most = search.most_tries();
    const double tries = search.tune().budget->seconds / work.seconds_per_result;
    // The number of tries within a time budget is unknown.
    const std::size_t likely = search.tune().budget->tries > 0
                                   ? most
                                   : std::min(most, static_cast<std::size_t>(tries) + 1);
    const SearchState state =
        search_state(search, plan.workloads[search.workload()].name, progress);
    const std::size_t left =
        state.is_done ? 0 : std::max<std::size_t>(likely - std::min(likely, state.tries), 1);
    work.all_parts += likely;
    work.parts += left;
    work.results += left;
  }
  return work;
}

}  // namespace kernelbatch::app
