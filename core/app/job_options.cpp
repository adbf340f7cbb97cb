#include "core/app/job_options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/job/sbatch.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {

std::vector<Option> job_options(JobOptions& options) {
  return {{.names = {"JOB"},
           .help = "Job files",
           .target = &options.files,
           .type = kJobFile,
           .is_required = true},
          {.names = {"-p", "--param"},
           .help = "Replace or add a parameter: n=1e6,1e7",
           .target = &options.params,
           .environment = "KERNELBATCH_PARAM",
           .takes_one_word = true},
          {.names = {"-s", "--set"},
           .help = "Set any key: measure.preset=quick",
           .target = &options.settings,
           .environment = "KERNELBATCH_SET",
           .takes_one_word = true},
          {.names = {"--only"},
           .help = "Keep only some variants: variant=jit,raw",
           .target = &options.only,
           .environment = "KERNELBATCH_ONLY",
           .takes_one_word = true},
          {.names = {"--device"},
           .help = "auto, host, cuda, cuda:N, GPU-… or MIG-… UUID",
           .target = &options.device,
           .type = kDevice,
           .environment = "KERNELBATCH_DEVICE"},
          {.names = {"-o", "--output"},
           .help = "Result file",
           .target = &options.output,
           .type = kResultFile,
           .environment = "KERNELBATCH_OUTPUT"},
          {.names = {"--allow-cases"},
           .help = "Maximum number of cases of a job",
           .target = &options.allowed_cases,
           .default_text = std::to_string(options.allowed_cases),
           .environment = "KERNELBATCH_ALLOW_CASES",
           .is_positive = true},
          {.names = {"--no-sandbox"},
           .help = "Trust kernel texts: on the host they may call any function",
           .target = &options.is_trusted,
           .environment = kNoSandboxVariable}};
}

std::vector<std::string> option_words(const JobOptions& options) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      words.emplace_back(option);
      words.push_back(value);
    }
  };
  add("-p", options.params);
  add("-s", options.settings);
  add("--only", options.only);
  if (!options.output.empty()) add("-o", {options.output});
  if (options.allowed_cases != JobOptions{}.allowed_cases)
    add("--allow-cases", {std::to_string(options.allowed_cases)});
  if (options.is_trusted) words.emplace_back("--no-sandbox");
  return words;
}

std::string command_again(const JobSpec& job, const JobOptions& options,
                          const std::string& sanitize) {
  std::vector<std::string> words{"kernelbatch", "run", job.path.string()};
  JobOptions kept = options;
  kept.only.clear();
  kept.output.clear();
  for (std::string& word : option_words(kept)) words.push_back(std::move(word));
  if (!options.device.empty()) words.insert(words.end(), {"--device", options.device});
  if (!sanitize.empty()) words.push_back("--sanitize=" + sanitize);
  return quoted_command(words);
}

namespace {

/// Checks the result file's name and the names derived from it before a run.
void check_output(const JobSpec& job, const SourcePlace& place) {
  constexpr std::size_t kLongest = 255, kSuffix = 2;  // ".d"
  const std::filesystem::path path = output_file(job);
  const std::string text = path.string();
  if (text.find('\0') != std::string::npos || visible_line(text) != text)
    fail_at(place, fmt::format("output.file '{}' has invisible characters", visible_line(text)));
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..")
    fail_at(place, fmt::format("output.file '{}' names a folder, not a file", text));
  for (const auto& part : path)
    if (part.string().size() > kLongest - (part == path.filename() ? kSuffix : 0))
      fail_at(place, fmt::format("output.file: the name '{}' has {} bytes, more than a file system "
                                 "allows with the suffix '.d' ({})",
                                 part.string(), part.string().size(), kLongest - kSuffix));
}

}  // namespace

JobSpec read_job(const std::string& file, const JobOptions& options) {
  if (options.is_trusted) ::setenv(kNoSandboxVariable, "1", 1);
  Overrides overrides{options.params, options.settings};
  JobSpec job = load_job(file, overrides);
  if (!options.device.empty()) job.device = {options.device, {"--device", 0, 0}, false};
  if (!options.output.empty()) job.output.file = options.output;
  check_output(job, {options.output.empty() ? file : "-o", 0, 0});
  std::vector<Scalar> kept;
  for (const std::string& filter : options.only) {
    if (!filter.starts_with("variant="))
      throw SpecError(fmt::format("--only {}: expected variant=NAME,NAME", filter));
    for (const std::string& name : split(std::string_view(filter).substr(8), ','))
      kept.push_back({std::string(trim(name)), {"--only " + filter, 0, 0}, false});
  }
  if (!options.only.empty())
    for (WorkloadSpec& workload : job.workloads) workload.variants = kept;
  return job;
}

}  // namespace kernelbatch::app
