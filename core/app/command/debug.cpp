// kernelbatch debug: one call of a variant in this process, for gdb.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/app/run_part.hpp"
#include "core/base/error.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"
#include "core/case/single_call.hpp"
#include "core/job/sbatch.hpp"
#include "core/report/failures.hpp"
#include "core/report/table.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_summary.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

struct DebugOptions {
  JobOptions job;
  std::string case_text, variant;
};

/// The first case that matches `text`.
const PlannedCase& case_of(const Plan& plan, const std::string& text) {
  const auto found = std::ranges::find_if(
      plan.cases, [&](const PlannedCase& each) { return matches(each, text); });
  if (found != plan.cases.end()) return *found;
  throw SpecError(text.empty() ? "the job has no case outside of a search: fix the searched "
                                 "parameters with --param"
                               : fmt::format("no case matches '{}'; `kernelbatch check --cases` "
                                             "lists them",
                                             text));
}

/// Makes the host device compile for a debugger, into `folder`, where it also keeps the texts.
void compile_for_debugger(const std::filesystem::path& folder) {
  ::setenv("KERNELBATCH_CACHE_DIR", (folder / "cache").c_str(), 1);
  ::setenv("KERNELBATCH_KERNEL_TEXTS", folder.c_str(), 1);
  const char* flags = std::getenv("KERNELBATCH_HOST_CXXFLAGS");
  ::setenv("KERNELBATCH_HOST_CXXFLAGS", (std::string(flags ? flags : "") + " -O0 -g").c_str(), 1);
}

int debug(const DebugOptions& options) {
  if (options.job.files.size() > 1) throw SpecError("debug takes one job");
  JobSpec job = read_job(options.job.files.front(), options.job);
  job.output.arrays = KeptArrays::kNone;
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  const Plan plan = make_plan(
      job, [&](const std::string& plugin) { return asker.describe(plugin); },
      options.job.allowed_cases);
  const PlannedCase& planned = case_of(plan, options.case_text);
  const PlannedWorkload& workload = plan.workloads[planned.workload];
  if (std::ranges::find(workload.variants, options.variant) == workload.variants.end())
    throw SpecError(fmt::format("'{}' has no variant '{}'{}", workload.name, options.variant,
                                suggestion(options.variant, workload.variants)));
  const ScratchFolder folder;
  compile_for_debugger(folder.path());
  fmt::print("{}  {}  {}: one call in this process, {}; its texts are in {}\n",
             visible_line(workload.name), visible_line(to_text(planned.params)), options.variant,
             job.device.text, folder.path().string());
  std::fflush(stdout);
  RunSummary summary;
  for (ResultRecord& record : call_once({.case_id = planned.case_id,
                              .plugin = workload.plugin,
                              .workload = planned.workload,
                              .device = job.device.text,
                              .params = planned.params,
                              .variants = {options.variant},
                              .reference = workload.reference},
                                        job)) {
    record.workload = workload.name;
    if (record.status == Status::kOk)
      fmt::print("{}: ok\n", record.variant);
    else
      fmt::print("{}", failure_text(record, text_format(),
                                    "kernelbatch run " + shell_quoted(job.path.string())));
    summary.add(std::move(record));
  }
  return static_cast<int>(summary.exit_code());
}

}  // namespace

Command debug_command() {
  auto options = std::make_shared<DebugOptions>();
  options->job.device = "host";
  Command command{.name = "debug",
                  .summary = "Call a variant once in this process, compiled with -O0 -g, for gdb"};
  command.add(job_options(options->job));
  command.add({{.names = {"--variant"},
                .help = "The variant",
                .target = &options->variant,
                .is_required = true},
               {.names = {"--case"},
                .help = "The case: the beginning of its ID, or a parameter, as n=255; default: the "
                        "first",
                .target = &options->case_text}});
  command.examples = {{"gdb --args kernelbatch debug jobs/inline/raw_add.yaml --variant raw",
                       "then: break KERNEL, run"}};
  command.action = [options] { return debug(*options); };
  return command;
}

}  // namespace kernelbatch::app
