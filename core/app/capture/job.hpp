// A captured launch as an inline job.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/app/capture/form.hpp"
#include "core/app/capture/record.hpp"

namespace kernelbatch::app {

struct CapturedJob {
  std::filesystem::path file;  ///< the job
  std::string program;         ///< for the comment
  CapturedForms forms = {};
};

/// Name of the array of each allocation: `p0` if only parameter 0 points to it, at its beginning,
/// else `m0`, `m1`, …; `v0`, `v1`, … for variables.
std::vector<std::string> array_names(const LaunchRecord& record);

/// Moves the record's files into the folder `FILE.data` next to the job, and writes the job. Files
/// may be read only by the user. Throws SpecError for a form that fits no array, and StoreError.
void write_captured_job(const LaunchRecord& record, const CapturedJob& job);

}  // namespace kernelbatch::app
