#include "core/case/case_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/case/failure.hpp"
#include "core/case/findings.hpp"
#include "core/case/output_spill.hpp"
#include "core/case/variant/checked_variant.hpp"
#include "core/case/variant/cpu_variant.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/annotation.hpp"
#include "core/verify/reference_cache.hpp"
#include "core/verify/reference_file.hpp"
#include "core/verify/vacuity.hpp"
#include "core/verify/verify.hpp"

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
      problem_(*loaded.problem),
      inputs_(loaded.inputs),
      memory_(loaded.memory),
      reference_key_(loaded.reference_key),
      device_bytes_(loaded.device_bytes),
      params_(wanted.request.params, info.parameters),
      shared_(place_.checks, {.limit = memory_limit(), .used = &memory_used_}) {}

double CaseRun::memory_limit() const {
  return memory_limit_bytes(wanted_.job.limits.memory, place_.device.properties());
}

const VariantDeclaration* CaseRun::declared(const std::string& name) const {
  const auto found = std::ranges::find(info_.variants, name, &VariantDeclaration::name);
  return found == info_.variants.end() ? nullptr : &*found;
}

bool CaseRun::is_wanted(const std::string& variant) const {
  return std::ranges::find(request_.variants, variant) != request_.variants.end();
}

ResultRecord CaseRun::begin_record(const VariantDeclaration& variant) const {
  ResultRecord record;
  record.case_id = request_.case_id;
  record.workload = info_.name;
  record.workload_version = info_.version;
  record.variant = variant.name;
  record.kind = variant.kind;
  record.params = request_.params;
  record.attempt = request_.attempt;
  record.start_ns = unix_time_ns();
  record.status = Status::kOk;
  const bool on_cpu = variant.kind == VariantKind::kReference;
  record.device = on_cpu ? place_.cpu : device_text(place_.device.properties());
  return record;
}

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

/// Changes that the last variant made to this process.
ProcessDelta CaseRun::process_changes() {
  ProcessState now = ProcessState::now();
  ProcessDelta left = ProcessState::difference(last_, now);
  // Several small leaks add up to too many.
  if (now.descriptors() > first_.descriptors() + 8 * ProcessState::kLeak) must_renew_ = true;
  if (!left.recoverable.empty()) must_renew_ = true;
  last_ = std::move(now);
  running_.clear();
  return left;
}

bool CaseRun::pass_turn() {
  if (running_.empty()) return true;
  const std::string name = running_;
  const ProcessDelta left = process_changes();
  if (left.fatal.empty()) return true;
  ResultRecord record = begin_record(*declared(name));
  fail_for(left, record);
  must_restart_worker_ = true;
  if (is_wanted(name)) send_result(std::move(record), {});
  return false;
}

std::vector<OutputArray> CaseRun::outputs_of(const std::string& variant,
                                             const Problem& problem) const {
  std::vector<OutputArray> outputs = problem.outputs_of(variant);
  change_tolerances(outputs, verify_.tolerance, verify_.outputs);
  // A file may contain only some of the outputs.
  if (verify_.reference_file)
    for (OutputArray& output : outputs) output.has_reference = want_.contains(name_of_want(output));
  return outputs;
}

std::unique_ptr<PreparedVariant> CaseRun::make(const VariantDeclaration& variant,
                                               const Problem& of) {
  ResultRecord record = begin_record(variant);
  const Cost cost = of.cost_of(variant.name);
  record.bytes_read = cost.bytes_read;
  record.bytes_written = cost.bytes_written;
  record.flops = cost.flops;
  const bool is_reference = variant.name == request_.reference;
  RunSetting setting{
      .outputs = outputs_of(variant.name, of),
      .params = params_,
      .measure = wanted_.measure,
      .shared = shared_,
      // The others are compared with the reference's, whether or not they are stored.
      .kept = is_reference         ? KeptArrays::kAll
              : request_.is_repeat ? KeptArrays::kNone
                                   : wanted_.job.output.arrays,
      .repeat = request_.is_repeat || request_.is_single_call ? 1 : verify_.repeat,
      .must_be_deterministic = verify_.determinism == Determinism::kRequired,
      .inputs = inputs_,
      .problem = memory_,
      .want = is_reference ? nullptr : &want_,
      .is_timed = is_wanted(variant.name) && &of == &problem_ && request_.sanitize.empty() &&
                  !request_.is_single_call,
      .drop_above = request_.drop_above,
      .lists_launches = !request_.is_repeat,
      .is_explained =
          std::ranges::find(request_.unexplained, variant.name) == request_.unexplained.end(),
      .spent_s =
          [this] { return seconds_since(begin_) / static_cast<double>(request_.variants.size()); },
      .memory = {.limit = memory_limit(),
                 .may_stage = traits_of(variant.kind).may_stage,
                 .case_bytes = device_bytes_,
                 .used = &memory_used_},
      .on_phase = [this, &variant](Phase phase) { place_.on_phase(variant.name, phase); }};
  if (!is_reference) {
    setting.vacuous = vacuous_tolerance(setting.outputs, want_, inputs_);
    if (const auto known = known_.find(variant.name); second_.is_there() && known != known_.end()) {
      setting.known = known->second.vacuous;
      record.add_note(NoteKind::kOther, known->second.note);
    }
  }
  if (variant.kind == VariantKind::kReference)
    return std::make_unique<CpuVariant>(variant, std::move(setting), std::move(record));
  if (is_bare())
    return std::make_unique<BareVariant>(variant, place_.device, std::move(setting),
                                         std::move(record));
  return std::make_unique<CheckedVariant>(variant, place_.device, place_.checks, std::move(setting),
                                          std::move(record));
}

bool CaseRun::attempt(PreparedVariant& prepared, const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const std::exception& error) {
    record_failure(error, prepared.phase(), prepared.record());
  } catch (...) {
    record_failure(std::runtime_error("the variant threw something that is no std::exception"),
                   prepared.phase(), prepared.record());
  }
  return false;
}

/// Ends a variant, successfully or not: its memory is freed before the next one is prepared.
void CaseRun::finish(std::unique_ptr<PreparedVariant> prepared, const std::exception_ptr& failure) {
  if (failure) attempt(*prepared, [&] { std::rethrow_exception(failure); });
  const std::string name = prepared->variant().name;
  const OutputArrays got = prepared->take_outputs();
  ResultRecord record = std::move(prepared->record());
  must_restart_worker_ = must_restart_worker_ || prepared->has_lost_device();
  prepared.reset();
  if (!request_.sanitize.empty() && !record.is_reference())
    add_findings(record, request_.sanitize, take_findings(place_.device));
  record.end_ns = unix_time_ns();
  if (const ProcessDelta left = process_changes(); !left.fatal.empty()) {
    fail_for(left, record);
    must_restart_worker_ = true;
  }
  if (name == request_.reference) {
    is_reference_retryable_ = record.retryable;
    if (record.status != Status::kOk && !is_wanted(name)) {
      const std::string reason = fmt::format("the reference '{}' failed: {}", name, record.reason);
      if (record.retryable) throw EnvironmentError(reason);
      throw RunError(reason);
    }
    want_ = got;
    reference_s_ = record.first_launch_time;
  }
  if (is_wanted(name)) send_result(std::move(record), got);
}

void CaseRun::prepare_next() {
  const std::string name = waiting_.front();
  const VariantDeclaration& variant = *declared(name);
  if (!request_.reference.empty() && want_.empty()) {
    ResultRecord record = begin_record(variant);
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
  std::unique_ptr<PreparedVariant> prepared = make(variant, problem_);
  running_ = name;
  bool is_timed = false;
  const bool is_right = attempt(*prepared, [&] {
    prepared->prepare(problem_);
    is_timed = prepared->verify();
    if (is_timed && second_.is_there())
      prepared->add_second_set({.problem = *second_.loaded.problem,
                                .outputs = outputs_of(name, *second_.loaded.problem),
                                .want = second_.want,
                                .inputs = second_.loaded.inputs,
                                .drawn = second_.loaded.drawn,
                                .problem_memory = second_.loaded.memory,
                                .seed = second_.seed});
    if (is_timed) prepared->leave_turn();
  });
  is_timed = is_timed && is_right;
  if (is_timed && !second_.why_not.empty())
    prepared->record().add_note(NoteKind::kSecondSet, second_.why_not);
  if (is_timed) {
    ready_.push_back(std::move(prepared));
  } else if (prepared->record().status == Status::kOutOfMemory &&
             (shared_.drop_device_copies() || !ready_.empty())) {
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
      const VariantDeclaration* const variant = declared(running_);
      if (variant == nullptr || !is_wanted(running_)) return;
      Found found{begin_record(*variant)};
      add_findings(found.record, request_.sanitize, {to_record(finding)});
      place_.send(std::move(found));
    });
}

void CaseRun::run() {
  send_findings();
  const AnnotatedRange range(fmt::format("{} {}", info_.name, to_text(request_.params)));
  first_ = last_ = ProcessState::now();
  run_reference();
  make_second();
  // A reference that only serves verification runs again in every process.
  if (!is_wanted(request_.reference)) must_renew_ = false;
  for (const std::string& name : request_.variants)
    if (name != request_.reference && declared(name) != nullptr) waiting_.push_back(name);
  while (!waiting_.empty() && !must_restart_worker_ && !must_renew_) {
    prepare_waiting();
    time_ready();
  }
  if (must_restart_worker_ || waiting_.empty()) return;
  must_restart_worker_ = true;
  place_.send(Renew{});
}

}  // namespace kernelbatch
