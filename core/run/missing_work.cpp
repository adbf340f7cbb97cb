#include "core/run/missing_work.hpp"

#include <algorithm>
#include <vector>

#include "core/run/finished_results.hpp"
#include "core/run/made_of.hpp"

namespace kernelbatch {

MissingWork missing_work(const JobSpec& job, const Plan& plan,
                         const std::filesystem::path& output_file) {
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(&planned);
  std::vector<MadeOf> ingredients;
  for (const PlannedWorkload& workload : plan.workloads)
    ingredients.push_back(made_of(workload, job.measure, job.path.parent_path()));
  const FinishedResults finished(output_file, cases, 0, std::move(ingredients));
  MissingWork work;
  for (const PlannedCase& planned : plan.cases) {
    const std::vector<FinishedResult>& known = finished.of(planned.case_id);
    const auto is_missing = [&](const std::string& variant) {
      return std::ranges::none_of(known, [&](const FinishedResult& result) {
        return result.variant == variant && is_final(result, job.limits.retries);
      });
    };
    const auto missing =
        std::ranges::count_if(plan.workloads[planned.workload].variants, is_missing);
    work.results += static_cast<std::size_t>(missing);
    if (missing > 0) ++work.cases;
  }
  return work;
}

}  // namespace kernelbatch
