// Restart log: whether the restarts of a Slurm task bring new results.
#pragma once

#include <optional>
#include <string>

#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_summary.hpp"

namespace kernelbatch::app {

/// Appends the line `RESTART_COUNT NEW_RESULTS` to the file KERNELBATCH_RESTART_LOG, which the
/// scripts of `submit` set, with the interrupted case and the time that it needs if there is no new
/// result; that is also printed. Writes nothing after an interruption by anything but the time
/// limit, which is no evidence against the case. Processes of one task append to the same file.
void write_restart_log(const std::optional<SlurmAllocation>& allocation, const JobSpec& job,
                       const Plan& plan, const RunSummary& summary);

/// "slow n=3, variant raw: stopped after 28 s without a result; …" and what to do.
std::string interrupted_text(const JobSpec& job, const Plan& plan,
                             const InterruptedCase& interrupted, double expected_s);

}  // namespace kernelbatch::app
