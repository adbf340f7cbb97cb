// Options that select jobs, shared by `run` and `check`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/app/options.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch::app {

struct JobOptions {
  std::vector<std::string> files, params, settings, only;
  std::string device, output;
  std::size_t allowed_cases = 10'000;
  bool is_trusted = false;  ///< kernel texts run without the sandbox
};

/// JOB… and the shared options of subcommands, with `options` as their target. Every option has an
/// environment variable.
std::vector<Option> job_options(JobOptions& options);

/// The options as command-line words, except the files and the device.
std::vector<std::string> option_words(const JobOptions& options);

/// The command that runs cases of a job again, without the words that select them. `sanitize`: the
/// checks of the run; empty: none.
std::string command_again(const JobSpec& job, const JobOptions& options,
                          const std::string& sanitize);

/// Reads one job with the command line's changes. Throws SpecError.
JobSpec read_job(const std::string& file, const JobOptions& options);

}  // namespace kernelbatch::app
