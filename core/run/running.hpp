// Supervisor::Running: state shared by the cases and searches of one run.
#pragma once

#include <functional>
#include <vector>

#include "core/run/run_state.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch {

struct Supervisor::Running {
  const JobSpec& job;
  const Plan& plan;
  RunState& state;
  RunSummary summary = {};
  Claims* claims = nullptr;  ///< of cases and tries; null if the job is not shared
  bool has_stored = false;
  /// Called with each result of a search, before the summary takes it; empty if no search is
  /// running.
  std::function<void(const ResultRecord&)> on_result = {};
  /// Baselines of the current search problem, for speed-ups.
  std::vector<ResultRecord> baselines = {};
  std::size_t tries = 0;  ///< of all searches
  std::size_t begun = 0;  ///< cases, including those of searches
};

}  // namespace kernelbatch
