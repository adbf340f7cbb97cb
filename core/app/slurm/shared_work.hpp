// The part of a job that `submit` gives to the tasks of an array.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/job/spec.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

/// Work that tasks can share: cases, and tries of searches.
struct SharedWork {
  std::size_t parts = 0;      ///< without those that are finished
  std::size_t all_parts = 0;  ///< of the job
  std::size_t results = 0;    ///< missing ones
  double seconds_per_result = 0;
};

/// Results of earlier runs in `results` count as finished. With `output.history` each submission
/// is a run of its own, and nothing counts.
SharedWork missing_shared_work(const JobSpec& job, const Plan& plan,
                               const std::filesystem::path& results);

}  // namespace kernelbatch::app
