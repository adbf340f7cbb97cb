// Further calls of a verified variant that explain its time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/case/evidence.hpp"
#include "core/job/spec.hpp"
#include "core/measure/timing_tools.hpp"
#include "core/verify/guarded_output.hpp"

namespace kernelbatch {

struct ExplainedCalls {
  Device& device;
  std::vector<Stream*> streams;  ///< of the work, beginning with its first one
  std::function<void()> work;    ///< one call
  std::vector<GuardedOutput*> outputs;
  TimingTools& tools;
  const MeasureSpec& measure;                  ///< which evidence is gathered
  std::span<const ProgramLog::Entry> kernels;  ///< that the work launches
  ArrayBytes arrays;
  bool is_staged;  ///< its arrays pass through the device in pieces: it has no twins
  double spent_s;  ///< wall time spent on the variant so far; limits that of its twins
};

/// Adds static evidence, counters and the times of twins to the record. Outputs hold wrong elements
/// afterwards. Propagates exceptions of calls.
void gather_evidence(const ExplainedCalls& calls, ResultRecord& record);

}  // namespace kernelbatch
