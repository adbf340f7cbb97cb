#include "core/app/slurm/long_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/gpu_types.hpp"
#include "core/job/slurm.hpp"

namespace kernelbatch::app {

void warn_of_long_case(const JobSpec& job, const Plan& plan, const FootprintsOf& ask) {
  const auto time = std::ranges::find_if(job.slurm.values,
                                         [](const auto& value) { return value.first == "time"; });
  if (time == job.slurm.values.end() || plan.cases.empty()) return;
  const bool is_gpu = requests_gpus(job.slurm) && job.device.text != "host";
  const std::vector<double> seconds = seconds_of_cases(job, plan, is_gpu, ask);
  const auto longest = std::ranges::max_element(seconds);
  const double limit_s = parse_seconds(time->second.text);
  const double margin_s = job.limits.stop_before_job_end_s;
  const double stop_s = seconds_until_stop(limit_s, margin_s);
  if (*longest <= stop_s) return;
  const PlannedCase& planned = plan.cases[static_cast<std::size_t>(longest - seconds.begin())];
  warn(
      fmt::format("{} {} is estimated to take {}, but a task stops after {} (slurm.time {}, "
                  "limits.stop_before_job_end {}): set slurm.time to {} or more",
                  plan.workloads[planned.workload].name, visible_line(to_text(planned.params)),
                  clock_text(*longest), clock_text(stop_s), clock_text(limit_s),
                  clock_text(margin_s), clock_text(std::ceil((*longest + margin_s) / 60) * 60)));
}

}  // namespace kernelbatch::app
