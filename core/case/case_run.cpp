#include "core/case/case_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/case/failure.hpp"
#include "core/case/findings.hpp"
#include "core/case/output_spill.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/annotation.hpp"

namespace kernelbatch {

CaseRun::~CaseRun() {
  if (AccessChecks* const checks = place_.device.access_checks()) checks->on_finding({});
}

CaseRun::CaseRun(CasePlace place, const RequestedCase& wanted, const WorkloadInfo& info,
                 const LoadedProblem& loaded)
    : place_(std::move(place)),
      eta_([this](CaseEta left) { place_.send(left); }, place_.evidence_s),
      wanted_(wanted),
      request_(wanted.request),
      verify_(wanted.spec.verify),
      info_(info),
      loaded_(loaded),
      problem_(*loaded.problem),
      variants_(place_, wanted, info, loaded, answers_) {}

void CaseRun::send_result(ResultRecord record, const OutputArrays& got) {
  Result result;
  try {
    result.outputs = spill_outputs(wanted_, record, got);
  } catch (const StoreError& error) {
    // If the variant harmed its process, that is the better reason: it may be why nothing can be
    // written.
    if (record.status == Status::kFailed) {
      record.add_note(NoteKind::kOther, fmt::format("outputs not stored: {}", error.what()));
    } else {
      record_failure(error, Phase::kWrite, record);
      record.retryable = true;
    }
    for (OutputRecord& output : record.outputs) output.stride = 0;
  }
  result.record = std::move(record);
  require_sendable(result);
  // A fresh process gets a fresh device.
  must_restart_worker_ = must_restart_worker_ || (result.record.status == Status::kCrashed &&
                                                  place_.device.properties().is_lost_by_crash);
  result.must_restart_worker = must_restart_worker_;
  place_.send(std::move(result));
}

bool CaseRun::pass_turn() {
  if (process_.running().empty()) return true;
  const std::string name = process_.running();
  const ProcessDelta left = process_.take_changes();
  if (left.fatal.empty()) return true;
  ResultRecord record = variants_.begin_record(*variants_.declared(name));
  fail_for(left, record);
  must_restart_worker_ = true;
  if (variants_.is_wanted(name)) send_result(std::move(record), {});
  return false;
}

ResultRecord CaseRun::end(std::unique_ptr<PreparedVariant> prepared, OutputArrays& got) {
  const std::string name = prepared->variant().name;
  got = prepared->take_outputs();
  ResultRecord record = std::move(prepared->record());
  must_restart_worker_ = must_restart_worker_ || prepared->has_lost_device();
  prepared.reset();
  if (!request_.sanitize.empty() && !record.is_reference()) {
    add_findings(record, request_.sanitize,
                 in_job(take_findings(place_.device), wanted_.spec, name));
    add_counts(record, place_.device);
  }
  record.end_ns = unix_time_ns();
  if (const ProcessDelta left = process_.take_changes(); !left.fatal.empty()) {
    fail_for(left, record);
    must_restart_worker_ = true;
  }
  return record;
}

/// Ends a variant, successfully or not: its memory is freed before the next one is prepared.
void CaseRun::finish(std::unique_ptr<PreparedVariant> prepared, const std::exception_ptr& failure) {
  if (failure) attempt(*prepared, [&] { std::rethrow_exception(failure); });
  OutputArrays got;
  ResultRecord record = end(std::move(prepared), got);
  if (record.variant == request_.reference) {
    record.compile_time += reference_compile_s_;
    // It was compared with its own outputs.
    for (OutputRecord& output : record.outputs)
      if (record.status == Status::kOk) output.mode = "reference";
  }
  send_result(std::move(record), got);
}

void CaseRun::finish_reference(std::unique_ptr<PreparedVariant> prepared) {
  OutputArrays got;
  ResultRecord record = end(std::move(prepared), got);
  const bool is_wanted = variants_.is_wanted(record.variant);
  is_reference_retryable_ = record.retryable;
  if (record.status != Status::kOk && !is_wanted) {
    const std::string reason =
        fmt::format("the reference '{}' failed: {}", record.variant, record.reason);
    if (record.retryable) throw EnvironmentError(reason);
    throw RunError(reason);
  }
  answers_.want = hidden(got);
  reference_s_ = record.first_launch_time;
  times_reference_ =
      is_wanted && record.status == Status::kOk && !record.is_reference() && !variants_.are_bare();
  if (times_reference_)
    reference_compile_s_ = record.compile_time;
  else if (is_wanted)
    send_result(std::move(record), got);
}

bool CaseRun::is_right_on_further(PreparedVariant& prepared) {
  for (const SecondSet& set : answers_.further) {
    std::unique_ptr<PreparedVariant> again =
        variants_.make(prepared.variant(), set.loaded, &set.want);
    const bool is_done = attempt(*again, [&] {
      again->prepare(*set.loaded.problem);
      again->verify();
    });
    ResultRecord& made = again->record();
    if (made.status == Status::kOutOfMemory) {
      prepared.record().add_note(NoteKind::kSecondSet, made.reason);
      return true;
    }
    if (!is_done || made.status != Status::kOk) {
      made.reason =
          fmt::format("on set {} of inputs: {}", prepared.record().input_sets + 1, made.reason);
      made.input_sets = prepared.record().input_sets;
      prepared.record() = std::move(made);
      return false;
    }
    prepared.add_further_set();
  }
  return true;
}

void CaseRun::prepare_next() {
  const SecondSet& second = answers_.second;
  const std::string name = waiting_.front();
  const VariantDeclaration& variant = *variants_.declared(name);
  if (!request_.reference.empty() && answers_.want.empty()) {
    ResultRecord record = variants_.begin_record(variant);
    record.status = Status::kFailed;
    record.phase = Phase::kVerify;
    record.reason =
        fmt::format("the reference '{}' failed, so nothing can be verified", request_.reference);
    record.retryable = is_reference_retryable_;
    waiting_.pop_front();
    send_result(std::move(record), {});
    return;
  }
  waiting_.pop_front();
  const AnnotatedRange range(name);
  std::unique_ptr<PreparedVariant> prepared = variants_.make(variant, loaded_, &answers_.want);
  process_.run(name);
  bool is_timed = false;
  const bool is_right = attempt(*prepared, [&] {
    prepared->prepare(problem_);
    is_timed = prepared->verify();
    if (is_timed && second.is_there())
      prepared->add_second_set({.problem = *second.loaded.problem,
                                .outputs = variants_.outputs_of(name, *second.loaded.problem),
                                .want = second.want,
                                .inputs = second.loaded.inputs,
                                .drawn = second.loaded.drawn,
                                .problem_memory = second.loaded.memory,
                                .seed = second.seed});
    if (is_timed) prepared->leave_turn();
  });
  is_timed = is_timed && is_right && is_right_on_further(*prepared);
  if (is_timed && !second.why_not.empty())
    prepared->record().add_note(NoteKind::kSecondSet, second.why_not);
  if (is_timed && !wanted_.measure.times) {
    attempt(*prepared, [&] { prepared->finish(); });
    is_timed = false;
  }
  if (is_timed) {
    ready_.push_back(std::move(prepared));
  } else if (prepared->record().status == Status::kOutOfMemory &&
             (variants_.drop_shared_copies() || !ready_.empty())) {
    // Retry without other variants: then there may be enough memory.
    waiting_.push_front(name);
    lacks_memory_ = true;
  } else {
    finish(std::move(prepared), nullptr);
  }
}

/// Findings are sent immediately: the kernel's next action may end this process.
void CaseRun::send_findings() {
  if (AccessChecks* const checks = place_.device.access_checks())
    checks->on_finding([this](const KernelFinding& finding) {
      const VariantDeclaration* const variant = variants_.declared(process_.running());
      if (variant == nullptr || !variants_.is_wanted(process_.running())) return;
      Found found{variants_.begin_record(*variant)};
      add_findings(found.record, request_.sanitize,
                   in_job({to_record(finding)}, wanted_.spec, variant->name));
      place_.send(std::move(found));
    });
}

void CaseRun::run() {
  send_findings();
  const AnnotatedRange range(fmt::format("{} {}", info_.name, to_text(request_.params)));
  process_.begin();
  run_reference();
  make_second();
  // A reference that only serves verification runs again in every process.
  if (times_reference_ || !variants_.is_wanted(request_.reference)) process_.accept_changes();
  for (const std::string& name : request_.variants)
    if ((times_reference_ || name != request_.reference) && variants_.declared(name) != nullptr)
      waiting_.push_back(name);
  while (!waiting_.empty() && !must_restart_worker_ && !must_renew()) {
    prepare_waiting();
    time_ready();
  }
  if (must_restart_worker_ || waiting_.empty()) return;
  must_restart_worker_ = true;
  place_.send(Renew{});
}

}  // namespace kernelbatch
