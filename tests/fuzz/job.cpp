#include <string>

#include "core/job/case_id.hpp"
#include "core/job/expression.hpp"
#include "core/job/parse.hpp"
#include "core/job/resolved.hpp"
#include "core/job/sbatch.hpp"
#include "core/job/sweep.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {
namespace {

/// Command-line options are given in comments of the job: "#-p n=1", "#-s measure.preset=quick".
Overrides overrides_in(std::string_view text) {
  Overrides overrides;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with("#-p ")) overrides.params.emplace_back(line.substr(4));
    if (line.starts_with("#-s ")) overrides.settings.emplace_back(line.substr(4));
  }
  return overrides;
}

}  // namespace

void job(Bytes input) {
  const std::string_view text = text_of(input);
  JobSpec spec;
  if (is_refused([&] { spec = parse_job(text, "fuzz.yaml", overrides_in(text)); })) return;
  const std::string resolved = to_yaml(spec);
  JobSpec again;
  claim(!is_refused([&] { again = parse_job(resolved, "fuzz.yaml"); }),
        "a resolved job is refused");
  claim(to_yaml(again) == resolved, "a resolved job resolves to another");
  for (const WorkloadSpec& workload : spec.workloads)
    is_refused([&] {
      const Sweep sweep(workload, nullptr, 1000);
      std::size_t count = 0;
      sweep.for_each([&](const NamedValues& values) {
        ++count;
        claim(case_id(workload.workload.text, "1", values).size() == 16, "a case's id is short");
      });
      claim(count == sweep.size(), "a sweep's size() differs from its number of cases");
    });
}

}  // namespace kernelbatch::fuzz
