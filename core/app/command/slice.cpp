// kernelbatch slice: estimates a job's times on each MIG profile of a whole GPU.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/job_options.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/device/mig_profiles.hpp"
#include "core/report/slices/slices.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct SliceOptions {
  JobOptions job;
  bool prints_json = false;
};

DeviceProperties whole_gpu(const std::string& selector) {
  // `auto` would fall back to the host.
  const DeviceChoice choice = choose_device(selector == "auto" ? "cuda" : selector);
  DeviceProperties gpu = properties_of(choice);
  if (!gpu.is_gpu)
    throw DeviceError(fmt::format("slice needs a GPU, and the device is '{}'", choice.selector));
  if (!gpu.mig_profile.empty())
    throw DeviceError(fmt::format("slice needs a whole GPU; {} is a slice ({})", choice.selector,
                                  gpu.mig_profile));
  return gpu;
}

/// `kernelbatch run` with a profile's limits.
std::vector<std::string> run_command_of(const SliceOptions& options, const DeviceProperties& gpu,
                                        const MigProfile& profile, const fs::path& file) {
  JobOptions there = options.job;
  there.output = file.string();
  if (profile.compute_units < gpu.compute_units) {
    there.settings.push_back(fmt::format("limits.sms={}", profile.compute_units));
    there.settings.push_back(
        fmt::format("limits.memory={:.0f}", profile.memory * static_cast<double>(gpu.memory)));
  }
  std::vector<std::string> words{executable_path().string(), "run", options.job.files[0]};
  for (std::string& word : option_words(there)) words.push_back(std::move(word));
  words.insert(words.end(), {"--device", gpu.selector, "--overwrite", "-q"});
  return words;
}

/// SMs that a run used: the driver may separate more than the profile has.
int units_used(const ResultFile& results, int otherwise) {
  for (const EnvironmentRecord& environment : results.environments)
    for (const auto& [name, value] : environment.values)
      if (const auto* units = std::get_if<std::int64_t>(&value);
          name == "gpu_sms" && units && *units > 0)
        return static_cast<int>(*units);
  return otherwise;
}

SliceRun run_on(const SliceOptions& options, const DeviceProperties& gpu, const MigProfile& profile,
                const fs::path& folder) {
  const fs::path file = folder / (profile.name + ".h5");
  fmt::print(stderr, "{}: {} of {} SMs, {:.0f} % of the memory\n", profile.name,
             profile.compute_units, gpu.compute_units, 100 * profile.memory);
  const ProcessResult ended = run_process(run_command_of(options, gpu, profile, file));
  std::error_code none;
  if (!fs::exists(file, none))
    throw RunError(fmt::format("{}: the run failed: {}", profile.name, trim(ended.output)));
  ResultFile results = read_results(file, Parts(Samples::kOmit, false));
  const int units = units_used(results, profile.compute_units);
  return {.profile = profile.name,
          .compute_units = units,
          .compute = profile.compute,
          .memory = profile.memory,
          .results = std::move(results)};
}

int estimate_slices(const SliceOptions& options) {
  if (options.job.files.size() != 1) throw SpecError("slice takes one job");
  const JobSpec job = read_job(options.job.files[0], options.job);
  const DeviceProperties gpu = whole_gpu(job.device.text);
  const std::vector<MigProfile> profiles = mig_profiles(gpu);
  if (profiles.empty())
    throw DeviceError(
        fmt::format("the MIG profiles of {} with {} SMs are unknown", gpu.name, gpu.compute_units));
  fs::path folder = fs::absolute(output_file(job));
  folder.replace_extension(".slices");
  std::vector<SliceRun> runs{
      run_on(options, gpu, {.name = "whole", .compute_units = gpu.compute_units}, folder)};
  for (const MigProfile& profile : profiles)
    if (profile.compute_units < gpu.compute_units)
      runs.push_back(run_on(options, gpu, profile, folder));
  const std::vector<SliceEstimate> estimates = slice_estimates(runs);
  if (options.prints_json) {
    print_data();
    fmt::print("{}", slices_json(estimates));
  } else {
    fmt::print("{}Results: {}\n", slices_text(estimates, text_format()), folder.string());
  }
  return 0;
}

}  // namespace

Command slice_command() {
  auto options = std::make_shared<SliceOptions>();
  Command command{.name = "slice",
                  .summary = "Estimate a job's times on each MIG profile of a whole GPU"};
  command.add(job_options(options->job));
  command.add(
      {{.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {{"kernelbatch slice jobs/mse.yaml", "time, and time × share of the GPU"}};
  command.action = [options] { return estimate_slices(*options); };
  return command;
}

}  // namespace kernelbatch::app
