#include "core/case/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/device/device.hpp"
#include "core/inline/job_lines.hpp"

namespace kernelbatch {
FindingRecord to_record(const KernelFinding& finding) {
  FindingRecord record;
  record.tool = "host";
  record.check = name_of(finding.kind);
  record.harmless = finding.is_harmless;
  record.kernel = finding.kernel;
  record.place = to_text(finding.place);
  record.text = finding.place.text;
  record.thread = to_text(finding.thread.thread);
  record.block = to_text(finding.thread.block);
  if (finding.has_other) {
    record.other_place = finding.other_place.line == 0 ? "" : to_text(finding.other_place);
    record.other_thread = to_text(finding.other.thread);
    record.other_block = to_text(finding.other.block);
  }
  record.what = finding.what;
  record.array = finding.array;
  record.element = finding.element;
  record.count = static_cast<std::int64_t>(finding.count);
  record.blocks = static_cast<std::int64_t>(finding.blocks);
  record.call = finding.call;
  return record;
}

std::vector<FindingRecord> take_findings(Device& device) {
  std::vector<FindingRecord> records;
  if (AccessChecks* const checks = device.access_checks())
    std::ranges::transform(checks->take_findings(), std::back_inserter(records), to_record);
  return records;
}

void add_counts(ResultRecord& record, Device& device) {
  AccessChecks* const checks = device.access_checks();
  if (checks == nullptr) return;
  for (const KernelCounts& of : checks->take_counts()) {
    const auto add = [&](const char* name, std::uint64_t count, std::uint64_t per) {
      if (per > 0)
        record.counters.push_back({.kernel = of.kernel,
                                   .source = EvidenceSource::kReplay,
                                   .name = name,
                                   .value = static_cast<double>(count) / static_cast<double>(per),
                                   .unit = "1"});
    };
    add("sectors_per_request", of.sectors, of.requests);
    add("bank_conflicts_per_request", of.bank_conflicts, of.shared_requests);
    add("barriers_per_block", of.barriers, of.blocks);
  }
}

std::vector<FindingRecord> in_job(std::vector<FindingRecord> findings, const WorkloadSpec& spec,
                                  const std::string& variant) {
  if (!spec.kernels) return findings;
  for (const InlineVariant& each : spec.kernels->variants) {
    if (each.name != variant) continue;
    std::vector<TextPlace> texts;
    for (const InlineVariant& kernel : each.kernels())
      std::ranges::copy(texts_of(kernel), std::back_inserter(texts));
    for (FindingRecord& finding : findings)
      for (std::string* text : {&finding.place, &finding.other_place, &finding.what})
        *text = with_job_places(*text, texts);
  }
  return findings;
}

void add_findings(ResultRecord& record, const std::string& checks,
                  std::vector<FindingRecord> findings) {
  record.sanitized = checks;
  record.findings = std::move(findings);
  std::string faults, harmless;
  for (const FindingRecord& finding : record.findings) {
    std::string& list = finding.harmless ? harmless : faults;
    list += fmt::format("{}{} at {}", list.empty() ? "" : ", ", finding.check, finding.place);
  }
  if (!harmless.empty())
    record.add_note(NoteKind::kOther, "several threads write the same value: " + harmless);
  if (faults.empty()) return;
  if (!record.reason.empty())
    record.detail = record.reason + (record.detail.empty() ? "" : "\n" + record.detail);
  record.status = Status::kUnsafe;
  record.phase = Phase::kRun;
  record.reason = faults;
  record.verified = record.retryable = false;
}

}  // namespace kernelbatch
