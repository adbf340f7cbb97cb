#include <algorithm>

#include "core/job/parse.hpp"
#include "core/run/plan.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {

void inline_job(Bytes input) {
  const Describe no_plugins = [](const std::string& plugin) -> WorkloadInfo {
    throw SpecError("no plugin is loaded here: " + plugin);
  };
  is_refused([&] {
    const JobSpec spec = parse_job(text_of(input), "fuzz.yaml");
    if (!std::ranges::all_of(spec.workloads,
                             [](const WorkloadSpec& each) { return each.kernels.has_value(); }))
      return;
    const Plan plan = make_plan(spec, no_plugins, 20);
    claim(make_plan(resolved(spec, plan), no_plugins, 20).cases.size() == plan.cases.size(),
          "a resolved job has another plan");
  });
}

}  // namespace kernelbatch::fuzz
