// Pass: one run of some variants of a case in worker processes. A case is a list of passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Purpose of a run.
struct RunPurpose {
  std::string device;       ///< resolved selector: "host", "cuda:0"
  bool is_profile = false;  ///< a few plain runs, for an external profiler
  Checks sanitize = {};     ///< checks to run instead of timing
};

enum class PassKind : std::uint8_t {
  kChecks,     ///< under checks, before the times or instead of them; the outputs are not stored
  kTimes,      ///< its results are those of the case
  kMoreTimes,  ///< in a further process, for the results that are correct so far
};

struct Pass {
  PassKind kind = PassKind::kTimes;
  std::string device;                      ///< selector
  std::string checks = {};                 ///< CaseRequest::sanitize; empty: variants are timed
  std::optional<CheckKind> tool;           ///< the worker runs under this tool of compute-sanitizer
  int process = 1;                         ///< of measure.processes
  bool stops_on_failure = false;           ///< a wrong result ends the pass (verify.on_fail)
  std::vector<std::string> variants = {};  ///< empty: chosen when it starts
};

/// The passes of a case, in order. `variants` have no final result.
std::vector<Pass> passes_of(const RunPurpose& run, const JobSpec& job,
                            const PlannedWorkload& workload,
                            const std::vector<std::string>& variants);

/// Merges the result of one more check. The first failure counts; findings are joined.
void merge_checks(ResultRecord& known, ResultRecord more);

/// Adds the samples of one more process, or the reason why the result is invalid. `where` names the
/// process: "in process 2 of 3".
void merge_times(ResultRecord& known, const ResultRecord& more, const std::string& where);

/// True if a further process may time this result.
bool may_be_timed_again(const ResultRecord& record) noexcept;

}  // namespace kernelbatch
