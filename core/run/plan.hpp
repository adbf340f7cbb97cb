// Plan: a job against the workloads that it names. Everything that can be wrong with a job is found
// here, before anything runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"
#include "core/run/planned_search.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

struct PlannedWorkload {
  WorkloadSpec spec;
  WorkloadInfo info;
  std::string plugin;                 ///< path
  std::vector<std::string> variants;  ///< to be run, in the workload's order
  std::string reference, baseline;
  /// Of inline kernels, among the entries that declare the same outputs and parameters: it is in
  /// the ids of their cases.
  int number = 1;
};

struct PlannedCase {
  std::string case_id;
  std::size_t number = 0;    ///< its place among all cases of the job, from 0
  std::size_t workload = 0;  ///< index into Plan::workloads
  NamedValues params;        ///< every declared parameter, in the order of declaration
  /// Its place among all cases by falling cost; only in the plan of a part that is dealt so.
  std::optional<std::size_t> rank{};
  /// Of a search: those that are run. Empty: all of the workload's.
  std::vector<std::string> variants{};
  /// s; a first sample above it ends the timing (Status::kDropped). 0: none does.
  double drop_above = 0;
};

struct Plan {
  std::vector<PlannedWorkload> workloads;
  std::vector<PlannedCase> cases;
  /// Of workloads whose `tune:` has a budget; their cases are none of the above. Every part of a
  /// job takes part in all of them.
  std::vector<PlannedSearch> searches{};
  std::size_t all_cases = 0;    ///< without those of searches: of all parts of the job
  std::size_t results() const;  ///< cases × variants, and at most so many of searches
};

/// Tells what a plugin declares; throws SpecError.
using Describe = std::function<WorkloadInfo(const std::string& plugin)>;

/// Bytes that cases of a plugin need on their device, 0 where unknown; throws SpecError.
using FootprintsOf = std::function<std::vector<double>(const std::string& plugin,
                                                       const std::vector<NamedValues>& cases)>;

/// Throws SpecError with file, line and column, what is wrong, and the nearest valid name: unknown
/// workloads, parameters, variants, outputs or inputs; values of another type or out of range;
/// input files that are not there; too many cases. Of a job's shard the plan has its cases alone,
/// and only they are looked at one by one: a task of a large array neither checks nor remembers the
/// others'. `footprints` are asked for a few cases of each workload that a plugin has, to deal
/// cases by their cost; without it all cost the same.
Plan make_plan(const JobSpec& job, const Describe& describe, std::size_t allowed_cases,
               const JobShard& shard = {}, const FootprintsOf& footprints = nullptr);

/// The job with what its workloads decide filled in: parameters, variants, reference, baseline. Has
/// the same plan.
JobSpec resolved(const JobSpec& job, const Plan& plan);

}  // namespace kernelbatch
