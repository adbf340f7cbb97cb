#include "core/run/variant_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/case/findings.hpp"

namespace kernelbatch {

VariantResults::VariantResults(const PassPlace& place)
    : place_(place), pending_(place.pass.variants) {}

bool VariantResults::is_pending(const std::string& variant) const {
  return std::ranges::find(pending_, variant) != pending_.end();
}

void VariantResults::add(ResultRecord record) {
  std::erase(pending_, record.variant);
  // Findings from before the failure.
  if (const auto found = found_.find(record.variant);
      found != found_.end() && record.findings.empty() && record.status != Status::kOk)
    add_findings(record, found->second.sanitized, found->second.findings);
  record.attempt = place_.history.attempt;
  if (const auto why = unexplained_.find(record.variant); why != unexplained_.end())
    record.add_note(NoteKind::kEvidence, "gathering it ended the worker: " + why->second);
  const auto& printed = place_.history.printed;
  if (const auto text = printed.find(record.variant); text != printed.end())
    record.printed = text->second;
  outcome_.results.push_back(std::move(record));
}

ResultRecord VariantResults::begin_record(const std::string& variant, Status status) const {
  ResultRecord record;
  record.case_id = place_.planned.case_id;
  record.workload = place_.workload.name;
  record.workload_version = place_.workload.info.version;
  record.variant = variant;
  for (const VariantDeclaration& each : place_.workload.info.variants)
    if (each.name == variant) record.kind = each.kind;
  record.params = place_.planned.params;
  record.device = place_.run.purpose.device;
  record.status = status;
  record.start_ns = record.end_ns = unix_time_ns();
  return record;
}

/// A failure before the first variant affects the whole case; later ones affect only that variant.
void VariantResults::fail_pending(const Failure& failure, const WorkerActivity& during) {
  const std::string& running = during.variant;
  const bool is_one = !running.empty() && is_pending(running);
  const std::vector<std::string> failed = is_one ? std::vector{running} : pending_;
  attribute_file_changes(running);
  for (const std::string& variant : failed) {
    ResultRecord record = begin_record(variant, failure.status);
    record.phase = during.phase;
    record.retryable = failure.is_retryable;
    record.reason = is_one || running.empty()
                        ? failure.reason
                        : fmt::format("the reference '{}' failed: {}", running, failure.reason);
    const auto& harm = place_.history.harm;
    if (const auto what = harm.find(variant); what != harm.end())
      record.reason += "; the variant " + what->second;
    record.detail = failure.detail;
    add(std::move(record));
  }
}

void VariantResults::fail_forger(const Failure& failure, const WorkerActivity& during) {
  const auto known = std::ranges::find(outcome_.results, during.variant, &ResultRecord::variant);
  // If the reference always forges, nothing can be verified.
  if (known == outcome_.results.end() || known->status == failure.status)
    return fail_pending(failure, during);
  known->status = failure.status;
  known->phase = during.phase;
  known->reason = failure.reason;
  known->detail = failure.detail;
  known->verified = known->retryable = false;
}

void VariantResults::skip_pending(const std::string& failed) {
  for (const std::string& variant : std::vector<std::string>(pending_)) {
    ResultRecord record = begin_record(variant, Status::kSkipped);
    record.reason = fmt::format("'{}' failed its verification (verify.on_fail: {})", failed,
                                name_of(place_.workload.spec.verify.on_fail));
    add(std::move(record));
  }
}

bool VariantResults::skip_evidence(const std::string& variant, const std::string& end) {
  return unexplained_.emplace(variant, end).second;
}

std::vector<std::string> VariantResults::unexplained() const {
  std::vector<std::string> variants;
  for (const auto& [variant, why] : unexplained_) variants.push_back(variant);
  return variants;
}

void VariantResults::attribute_file_changes(const std::string& running) {
  OutputPlace* const place = place_.run.place;
  const std::string what = place == nullptr ? "" : place->repair();
  if (what.empty()) return;
  if (!is_pending(running)) warn(fmt::format("'{}' or another process {}", running, what));
  std::string& harm = place_.history.harm[running];
  harm += (harm.empty() ? "" : ", ") + what;
}

void VariantResults::keep_printed() {
  PrintedText& printed = place_.run.workers.worker().printed();
  for (const std::string& variant : place_.workload.variants)
    if (std::string text = printed.take_first_call(variant); !text.empty())
      place_.history.printed[variant] = std::move(text);
}

}  // namespace kernelbatch
