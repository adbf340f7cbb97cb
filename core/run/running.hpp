// Supervisor::Running: what the cases and searches of one run share.
#pragma once

#include <functional>
#include <vector>

#include "core/run/case_supervisor.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch {

struct Supervisor::Running {
  const JobSpec& job;
  const Plan& plan;
  RunState& state;
  RunSummary summary = {};
  bool has_stored = false;
  /// Is told each result of a search, before the summary takes it; empty where none runs.
  std::function<void(const ResultRecord&)> on_result = {};
  /// Of the problem that is searched: what speed-ups refer to.
  std::vector<ResultRecord> baselines = {};
  std::size_t tries = 0;  ///< of all searches
};

}  // namespace kernelbatch
