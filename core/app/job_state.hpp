// A job's cases compared with its results, for `status`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/job/submissions.hpp"
#include "core/result/progress.hpp"
#include "core/run/search/planned_search.hpp"

namespace kernelbatch::app {

struct MissingCase {
  std::string case_id, workload;
  NamedValues params;
  std::vector<std::string> variants;
};

/// A search of the job and its progress.
struct SearchState {
  std::string workload, variant, budget;
  std::size_t tries = 0, most_tries = 0;  ///< most_tries 0: it has a time budget
  bool is_done = false;
};

struct JobState {
  std::string name;
  std::size_t cases = 0, done = 0;
  std::vector<MissingCase> missing;
  std::vector<SearchState> searches;
  std::string unknown;  ///< why the job cannot be planned here; empty if it can

  bool is_done() const;
};

SearchState search_state(const PlannedSearch& search, const std::string& workload,
                         const JobProgress& progress);

/// The job is the one in `job_file`; without it the latest one, of a result or of a submission.
/// Throws SpecError for an error in `job_file`.
JobState job_state(const JobProgress& progress, const std::vector<SlurmSubmission>& submissions,
                   const std::string& job_file);

}  // namespace kernelbatch::app
