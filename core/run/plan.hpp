// Plan: a job matched with its workloads. All errors of a job are reported here, before anything
// runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"
#include "core/run/search/planned_search.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

struct PlannedWorkload {
  WorkloadSpec spec;
  WorkloadInfo info;
  std::string name;                   ///< in results: the workload's, or the job's if it is inline
  std::string plugin;                 ///< path
  std::vector<std::string> variants;  ///< selected variants, in the workload's order
  std::string reference, baseline;
  /// Number among inline-kernel entries with the same outputs and parameters; part of their case
  /// IDs.
  int number = 1;
};

struct PlannedCase {
  std::string case_id;
  std::size_t number = 0;    ///< position among all cases of the job, from 0
  std::size_t workload = 0;  ///< index into Plan::workloads
  NamedValues params;        ///< every declared parameter, in the order of declaration
  /// Position among all cases in descending cost; only in the plan of a part assigned by cost.
  std::optional<std::size_t> rank{};
  double cost = 0;  ///< relative; only in such a plan
  /// Variants to run for a search. Empty: all of the workload's.
  std::vector<std::string> variants{};
  /// s; a first sample above it ends the timing (Status::kDropped). 0: no limit.
  double drop_above = 0;
};

struct Plan {
  std::vector<PlannedWorkload> workloads;
  std::vector<PlannedCase> cases;
  /// Searches of workloads whose `tune:` has a budget; their cases are not listed above. Every part
  /// of a job takes part in all of them.
  std::vector<PlannedSearch> searches{};
  std::size_t all_cases = 0;    ///< of all parts of the job, without searches
  std::size_t results() const;  ///< cases × variants, plus the maximum of searches
};

/// Returns a plugin's declarations; throws SpecError.
using Describe = std::function<WorkloadInfo(const std::string& plugin)>;

/// Device bytes needed by cases of a plugin, 0 if unknown; throws SpecError.
using FootprintsOf = std::function<std::vector<double>(const std::string& plugin,
                                                       const std::vector<NamedValues>& cases)>;

/// Throws SpecError with file, line and column, the problem, and the nearest valid name: unknown
/// workloads, parameters, variants, outputs or inputs; values of a wrong type or out of range;
/// missing input files; too many cases. The plan of a shard contains and checks only its own cases.
/// `footprints` is called for a few cases of each plugin workload to assign cases by cost; without
/// it all cases cost the same.
Plan make_plan(const JobSpec& job, const Describe& describe, std::size_t allowed_cases,
               const JobShard& shard = {}, const FootprintsOf& footprints = nullptr);

/// The job with the defaults from its workloads filled in: parameters, variants, reference,
/// baseline. It has the same plan.
JobSpec resolved(const JobSpec& job, const Plan& plan);

}  // namespace kernelbatch
