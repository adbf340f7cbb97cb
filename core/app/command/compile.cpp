// kernelbatch compile: fills the kernel cache for jobs, with or without the device they run on.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/app/kernel_options.hpp"
#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/case/compile_run.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/run/compile_case.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

struct CompileOptions {
  JobOptions job;
  KernelOptions kernel;
  std::string target;
  int units = 0;
};

/// Prints a line per kernel and per variant without kernels, and counts them.
class Printer {
 public:
  void print(const std::string& variant, const CompileOutcome& outcome) {
    for (const ProgramLog::Build& build : outcome.builds) {
      if (!seen_.insert(build.key).second) continue;
      fmt::print("{}  {}  {}  {:.0f} ms\n", variant, visible_line(build.name),
                 build.is_from_cache ? "cached" : "compiled", 1e3 * build.seconds);
      ++(build.is_from_cache ? cached_ : compiled_);
      seconds_ += build.seconds;
    }
    // Repeated reasons are printed once.
    if (!outcome.reason.empty() && seen_.insert(variant + '\0' + outcome.reason).second) {
      fmt::print("{}  {}: {}\n", variant, outcome.is_skipped ? "skipped" : "failed",
                 visible(outcome.reason));
      if (!outcome.is_skipped) ++failed_;
    }
    std::fflush(stdout);
  }

  int finish() const {
    fmt::print("{}: {} compiled, {} cached, {:.1f} s",
               plural(static_cast<std::uint64_t>(compiled_ + cached_), "kernel"), compiled_,
               cached_, seconds_);
    if (failed_ > 0) fmt::print("; {} failed", failed_);
    fmt::print("\n");
    return static_cast<int>(failed_ > 0 ? ExitCode::kCaseFailed : ExitCode::kOk);
  }

 private:
  std::set<std::string> seen_;
  int compiled_ = 0, cached_ = 0, failed_ = 0;
  double seconds_ = 0;
};

/// Compile target of the workers: "host", "cuda:0", "sm_90", "sm_90:66".
std::string target_of(const JobSpec& job, const CompileOptions& options) {
  if (options.target.empty()) {
    const DeviceChoice choice = choose_device(job.device.text);
    if (!choice.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", choice.note);
    return choice.selector;
  }
  std::string target = options.target;
  if (options.units > 0) target += fmt::format(":{}", options.units);
  const DeviceProperties properties = compile_target(target);
  // If a reduction has about as many outputs as the GPU has warps, the number of outputs per warp
  // depends on the number of warps.
  if (properties.is_simt() && options.units == 0)
    fmt::print(stderr,
               "kernelbatch: assuming that {} has {} SMs; a few reductions depend on their number: "
               "--units N for a smaller GPU or a slice\n",
               options.target, properties.compute_units);
  return target;
}

int compile_jobs(const CompileOptions& options) {
  const auto folder = cache_folder();
  if (!folder)
    throw SpecError("there is no kernel cache to fill: set KERNELBATCH_CACHE_DIR to a folder");
  require_trusted_caches();
  make_own_folder(*folder);
  make_writable_folder(*folder);
  Printer printer;
  for (const std::string& file : options.job.files) {
    const JobSpec job = read_job(file, options.job);
    Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
    const Plan plan = make_plan(
        job, [&](const std::string& plugin) { return asker.describe(plugin); },
        options.job.allowed_cases);
    const std::string target = target_of(job, options);
    if (!plan.searches.empty())
      fmt::print(stderr,
                 "kernelbatch: {}: configurations of a search are compiled when they are tried, "
                 "not here\n",
                 visible(file));
    CaseCompiler compiler(worker_command(variables_of(options.kernel)), job);
    for (std::size_t part = 0; part < harness_parts(job.measure).size(); ++part)
      compiler.compile_harness(target, part);
    for (const PlannedCase& planned : plan.cases) {
      const PlannedWorkload& workload = plan.workloads[planned.workload];
      compiler.compile({.case_id = planned.case_id,
                        .plugin = workload.plugin,
                        .workload = planned.workload,
                        .device = target,
                        .params = planned.params,
                        .variants = workload.variants},
                       [&](const std::string& variant, const CompileOutcome& outcome) {
                         printer.print(variant, outcome);
                       });
    }
  }
  return printer.finish();
}

}  // namespace

Command compile_command() {
  auto options = std::make_shared<CompileOptions>();
  Command command{.name = "compile",
                  .summary = "Fill the kernel cache for jobs; runs nothing, needs no GPU"};
  command.add(job_options(options->job));
  command.add(kernel_options(options->kernel));
  command.add({{.names = {"--target"},
                .help = "host or sm_NN; default: the device that the job would run on",
                .target = &options->target,
                .environment = "KERNELBATCH_TARGET"},
               {.names = {"--units"},
                .help = "SMs of the target GPU or slice",
                .target = &options->units,
                .needs = "--target",
                .is_positive = true}});
  command.examples = {
      {"kernelbatch compile jobs/mse.yaml --target host", ""},
      {"kernelbatch compile jobs/mse.yaml --target sm_90", "cross-compile without a GPU"}};
  command.action = [options] { return compile_jobs(*options); };
  return command;
}

}  // namespace kernelbatch::app
