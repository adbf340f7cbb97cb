// CheckedVariant: timing, and what follows the samples.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.hpp"
#include "core/case/failure.hpp"
#include "core/case/guard/doubts.hpp"
#include "core/case/variant/checked_variant.hpp"
#include "core/case/variant/stored_answers.hpp"
#include "core/case/variant/variant_evidence.hpp"
#include "core/measure/energy.hpp"
#include "core/measure/launch_summary.hpp"
#include "core/measure/suspicion.hpp"

namespace kernelbatch {
namespace {

/// Bytes that must pass through the device's memory. Kernels in a job need not read all of their
/// inputs.
double bytes_through_memory(const ResultRecord& record, double uploaded,
                            const std::vector<GuardedOutput*>& outputs) {
  double read = 0, written = 0;
  if (record.workload != "inline" && record.bytes_read > 0)
    read = std::min(record.bytes_read, uploaded);
  for (const GuardedOutput* each : outputs)
    if (!each->has_contents()) written += static_cast<double>(each->array().bytes());
  return least_bytes(read, written);
}

double element_bytes(const std::vector<GuardedOutput*>& outputs) {
  double bytes = 0;
  for (const GuardedOutput* each : outputs) bytes += static_cast<double>(each->array().bytes());
  return bytes;
}

}  // namespace

VariantTimer& CheckedVariant::timer(TimingTools& tools) {
  phase_ = Phase::kMeasure;
  tools_ = &tools;
  if (timer_ != nullptr) return *timer_;
  timer_ = std::make_unique<VariantTimer>([this] { call(); }, run_.streams(), setting_.measure,
                                          tools, calls_.get());
  if (setting_.drop_above > 0) timer_->drop_above(setting_.drop_above);
  return *timer_;
}

/// Returns false if guard bands were overwritten.
bool CheckedVariant::finish_checks() {
  run_.wait();
  calls_->finish();
  if (!outputs_.guards_are_whole(run_.first())) {
    record_.verified = false;
    return false;
  }
  record_checks();
  return true;
}

/// In place of samples: work may fail only in later calls.
void CheckedVariant::make_untimed_calls() {
  constexpr int kCalls = 6;
  for (int call = 1; call <= kCalls; ++call)
    calls_->call(fmt::format("call {} of {} without a time", call, kCalls));
}

void CheckedVariant::finish() {
  const RangeEnd end(*this);
  if (timer_ == nullptr) {
    phase_ = Phase::kVerify;
    make_untimed_calls();
    if (!finish_checks()) return;
    suspect(busy_threads_);
    suspect(prepared_answer_);
    return suspect_vacuous();
  }
  phase_ = Phase::kMeasure;
  Timing timing = timer_->finish();
  if (!finish_checks()) return;
  record_.check_time =
      check_time(calls_->check(), run_.first(), *device_.make_event(), *device_.make_event());
  record_.least_bytes = bytes_through_memory(record_, memory_.uploaded_bytes(), outputs_.all());
  if (timer_->was_dropped()) {
    // Too slow to be the best: its samples are kept, and nothing else is measured.
    add_timing(std::move(timing), record_);
    record_.status = Status::kDropped;
    record_.phase = Phase::kMeasure;
    record_.reason = fmt::format("{}, which the best one so far allows", record_.stop_reason);
    return;
  }
  look_for_stored_answers(timing);
  const std::string doubt = timing.doubt;
  add_timing(std::move(timing), record_);
  suspect(doubt);
  suspect(busy_threads_);
  suspect(prepared_answer_);
  suspect(faster_than_a_launch(record_.cold, element_bytes(outputs_.all()), *tools_, run_.first()));
  suspect_vacuous();
  measure_energy();
  if (!setting_.lists_launches) return;
  enter(Phase::kRecord);
  list_launches();
  explain();
}

void CheckedVariant::look_for_stored_answers(const Timing& timing) {
  for (const Summary& set : timing.by_set) slowest_set_s_ = std::max(slowest_set_s_, set.median);
  const TimedCalls timed{*calls_, memory_, run_.first(), [this] { return timer_->time_apart(); }};
  suspect(compare_sets(timed, timing.by_set));
  if (record_.status == Status::kOk) suspect(look_for_memory(timed, timing.cold));
}

void CheckedVariant::measure_energy() {
  if (setting_.measure.energy == EnergyChoice::kOff) return;
  if (const std::string reason = calls_->why_not_hot(); !reason.empty())
    return record_.add_note(NoteKind::kEnergy, reason);
  calls_->prepare(run_.first());
  StreamBatches batches(device_, run_.streams(), [this] { call(); });
  const bool is_slice = !device_.properties().mig_profile.empty();
  EnergyPhase phase(tools_->telemetry(), is_slice);
  add_energy(phase.run(batches, record_.cold.median), record_);
}

/// One more call, after all timing: listing may slow launches down.
void CheckedVariant::list_launches() {
  std::vector<IntervalFinding> findings;
  LaunchList list;
  // Evidence against a time counts only if it is found repeatedly.
  for (int attempt = 0; attempt == 0 || (attempt < 3 && !findings.empty()); ++attempt) {
    calls_->prepare(run_.first());
    run_.wait();
    list = record_launches(device_, run_.streams(), [this] { call(); });
    run_.wait();
    findings = doubts_of_launches({.list = list,
                                   .event_time = std::max(record_.cold.median, slowest_set_s_),
                                   .output_bytes = element_bytes(outputs_.all()),
                                   .is_staged = budget_.staged() > 0});
  }
  if (!list.reason.empty())
    record_.add_note(NoteKind::kOther,
                     fmt::format("launches from {}: {}", list.source, list.reason));
  add_launches(list, record_);
  for (const IntervalFinding& finding : findings) suspect(finding.sentence);
  if (list.reason.empty())
    suspect(busy_host(record_.host, record_.cold, list.launches.size() + list.transfers.size()));
}

/// Runs that follow have wrong outputs; the result does not depend on them.
void CheckedVariant::explain() {
  const MeasureSpec& measure = setting_.measure;
  if (record_.status != Status::kOk || !setting_.is_explained) return;
  if (measure.counters == EvidenceChoice::kOff && measure.twins == EvidenceChoice::kOff) return;
  enter(Phase::kExplain);
  const auto begin = MeasuringClock::now();
  // The result is final, even if gathering its evidence fails.
  try {
    gather_evidence(
        {.device = device_,
         .streams = run_.streams(),
         .work = [this] { call(); },
         .outputs = outputs_.all(),
         .tools = *tools_,
         .measure = measure,
         .kernels = kernels_,
         .arrays = {.inputs = memory_.uploaded_bytes(), .outputs = element_bytes(outputs_.all())},
         .is_staged = budget_.staged() > 0,
         .spent_s = setting_.spent_s ? setting_.spent_s() : 0},
        record_);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    record_.add_note(NoteKind::kEvidence, std::string_view(text).substr(0, text.find('\n')));
    has_lost_device_ = device_.properties().is_lost_by_crash && is_crash(std::current_exception());
  }
  evidence_s_ = seconds_since(begin);
}

}  // namespace kernelbatch
