// kernelbatch check: validates a job and shows its cases.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/app/slurm/long_case.hpp"
#include "core/base/text.hpp"
#include "core/job/resolved.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

struct CheckOptions {
  JobOptions job;
  bool is_resolved = false, lists_cases = false;
};

int check_jobs(const CheckOptions& options) {
  for (const std::string& file : options.job.files) {
    const JobSpec job = read_job(file, options.job);
    Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
    const Plan plan = make_plan(
        job, [&](const std::string& plugin) { return asker.describe(plugin); },
        options.job.allowed_cases);
    if (options.is_resolved) {
      print_data();
      fmt::print("{}", to_yaml(resolved(job, plan)));
      continue;
    }
    fmt::print("{}: job '{}' is valid: {}, {}, into {}\n", visible(file), job.name,
               plural(plan.cases.size(), "case"), plural(plan.results(), "result"),
               output_file(job).string());
    for (std::size_t k = 0; k < plan.workloads.size(); ++k) {
      const PlannedWorkload& workload = plan.workloads[k];
      const auto cases = std::count_if(plan.cases.begin(), plan.cases.end(),
                                       [&](const PlannedCase& each) { return each.workload == k; });
      fmt::print("  {}: {}, variants {}\n", workload.name,
                 plural(static_cast<std::uint64_t>(cases), "case"), join(workload.variants));
    }
    for (const PlannedSearch& search : plan.searches)
      fmt::print(
          "  {} {}: a search ({}) among {}, budget {}\n", plan.workloads[search.workload()].name,
          search.variant(), name_of(search.tune().search),
          plural(search.space().combinations(), "combination"), to_text(*search.tune().budget));
    const auto footprints = [&](const auto& plugin, const auto& cases) {
      return asker.footprints(plugin, cases);
    };
    fmt::print("  estimate: {}\n", to_text(estimate(job, plan, footprints)));
    warn_of_long_case(job, plan, footprints);
    if (options.lists_cases)
      for (const PlannedCase& each : plan.cases)
        fmt::print("  {}  {} {}\n", each.case_id, plan.workloads[each.workload].name,
                   to_text(each.params));
  }
  return 0;
}

}  // namespace

Command check_command() {
  auto options = std::make_shared<CheckOptions>();
  Command command{.name = "check", .summary = "Validate jobs and print what they would run"};
  command.add(job_options(options->job));
  command.add({{.names = {"--resolved"},
                .help = "Print the job with all defaults filled in",
                .target = &options->is_resolved},
               {.names = {"--cases"}, .help = "List every case", .target = &options->lists_cases}});
  command.examples = {
      {"kernelbatch check jobs/mse.yaml --cases", ""},
      {"kernelbatch check jobs/mse.yaml --resolved", "with all defaults filled in"}};
  command.action = [options] { return check_jobs(*options); };
  return command;
}

}  // namespace kernelbatch::app
