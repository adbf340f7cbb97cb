// CaseSupervisor: runs under checks, before timing or instead of it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/case/findings.hpp"
#include "core/run/case_supervisor.hpp"
#include "core/run/tool_run.hpp"

namespace kernelbatch {

/// True for a variant that passed the checks before timing, or could not be checked: it is timed
/// next.
bool CaseSupervisor::is_held(const ResultRecord& record) const {
  if (has_more_checks_) return true;
  return !sanitize_.empty() && run_.sanitize.empty() && record.status != Status::kUnsafe;
}

/// Merges the results of several checks. The first one's own failure counts.
void CaseSupervisor::hold(ResultRecord record) {
  // Its arrays are not stored.
  for (OutputRecord& output : record.outputs) output.stride = 0;
  const auto [known, is_new] = sanitized_.try_emplace(record.variant, record);
  if (is_new) return;
  ResultRecord& first = known->second;
  std::vector<FindingRecord> findings = std::move(first.findings);
  std::ranges::move(record.findings, std::back_inserter(findings));
  if (first.status == Status::kOk && record.status != Status::kOk) {
    record.notes = std::move(first.notes);
    first = std::move(record);
  }
  first.findings = std::move(findings);
}

/// `verify.sanitize`: runs all variants once under the host device's checks. Variants that pass are
/// timed afterwards.
void CaseSupervisor::sanitize_first() {
  const CheckKinds& kinds = workload_.spec.verify.sanitize;
  if (kinds.empty() || !run_.sanitize.empty() || run_.is_profile) return;
  sanitize_ = to_text(kinds);
  device_ = "host";
  run_groups();
  sanitize_.clear();
  device_ = run_.device;
  for (const std::string& variant : workload_.variants)
    if (sanitized_.contains(variant)) pending_.push_back(variant);
  crashes_.clear();
}

/// `run --sanitize=gpu` and `both`.
void CaseSupervisor::sanitize_instead() {
  const std::vector<std::string> variants = pending_;
  has_more_checks_ = true;
  if (run_.sanitize_on == CheckPlace::kBoth) {
    device_ = "host";
    run_groups();
    device_ = run_.device;
  }
  for (const std::string& variant : variants)
    if (!was_interrupted_) run_tools(variant);
  run_.workers.start_under({}, {});
  has_more_checks_ = false;
  if (was_interrupted_) return;
  for (const std::string& variant : variants) {
    ResultRecord record = std::move(sanitized_.at(variant));
    sanitized_.erase(variant);
    std::vector<FindingRecord> findings = std::move(record.findings);
    add_findings(record, run_.sanitize, std::move(findings));
    add_result(std::move(record));
  }
}

/// Runs one tool after the other, each with its own worker: a log does not identify the variant of
/// a kernel.
void CaseSupervisor::run_tools(const std::string& variant) {
  const std::filesystem::path program = find_compute_sanitizer();
  for (const CheckKind kind : parse_checks(run_.sanitize)) {
    const ToolRun tool(program, kind);
    run_.workers.start_under(tool.prefix(), tool.environment());
    is_under_tool_ = true;
    pending_ = {variant};
    crashes_.clear();
    run_groups();
    run_.workers.finish(0);
    is_under_tool_ = false;
    pending_.clear();
    if (was_interrupted_) return;
    std::string why_not;
    ResultRecord& record = sanitized_.at(variant);
    std::ranges::move(tool.findings(why_not), std::back_inserter(record.findings));
    record.add_note(NoteKind::kOther, why_not);
  }
}

}  // namespace kernelbatch
