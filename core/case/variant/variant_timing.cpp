// PreparedVariant: timing, and what is gathered after it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.hpp"
#include "core/case/doubts.hpp"
#include "core/case/evidence.hpp"
#include "core/case/failure.hpp"
#include "core/case/variant/prepared_variant.hpp"
#include "core/measure/energy.hpp"
#include "core/measure/launch_summary.hpp"
#include "core/measure/suspicion.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

/// For a profiler: each call starts with its outputs' initial contents, and nothing else is done.
class RestoredOutputs final : public CallChecks {
 public:
  explicit RestoredOutputs(std::vector<GuardedOutput*> outputs) : outputs_(std::move(outputs)) {}
  void prepare(Stream& stream) override {
    for (GuardedOutput* output : outputs_) output->restore(stream);
  }

 private:
  std::vector<GuardedOutput*> outputs_;
};

}  // namespace

double PreparedVariant::output_bytes() const {
  double bytes = 0;
  for (const GuardedOutput* each : outputs_.all())
    bytes += static_cast<double>(each->array().bytes());
  return bytes;
}

/// One more call, after all timing: listing may slow launches down.
void PreparedVariant::list_launches() {
  std::vector<IntervalFinding> findings;
  LaunchList list;
  // Evidence against a time counts only if it is found repeatedly.
  for (int attempt = 0; attempt == 0 || (attempt < 3 && !findings.empty()); ++attempt) {
    if (calls_ != nullptr) calls_->prepare(stream(0));
    wait_for_streams();
    list = record_launches(*device_, streams(), [this] { call(); });
    wait_for_streams();
    if (calls_ != nullptr)
      findings = doubts_of_launches({.list = list,
                                     .event_time = std::max(record_.cold.median, slowest_set_s_),
                                     .output_bytes = output_bytes(),
                                     .is_staged = budget_.staged() > 0});
  }
  if (!list.reason.empty())
    record_.add_note(NoteKind::kOther,
                     fmt::format("launches from {}: {}", list.source, list.reason));
  add_launches(list, record_);
  for (const IntervalFinding& finding : findings) suspect(finding.sentence);
  if (calls_ != nullptr && list.reason.empty())
    suspect(busy_host(record_.host, record_.cold, list.launches.size() + list.transfers.size()));
}

VariantTimer& PreparedVariant::timer(TimingTools& tools) {
  phase_ = Phase::kMeasure;
  tools_ = &tools;
  if (timer_ != nullptr) return *timer_;
  if (calls_ == nullptr) bare_calls_ = std::make_unique<RestoredOutputs>(outputs_.all());
  CallChecks* checks = bare_calls_.get();
  if (calls_ != nullptr) checks = calls_.get();
  timer_ = std::make_unique<VariantTimer>([this] { call(); }, streams(), setting_.measure, tools,
                                          checks);
  if (calls_ != nullptr && setting_.drop_above > 0) timer_->drop_above(setting_.drop_above);
  return *timer_;
}

void PreparedVariant::finish() {
  const RangeEnd end(*this);
  phase_ = Phase::kMeasure;
  Timing timing = timer_->finish();
  wait_for_streams();
  if (calls_ != nullptr) calls_->finish();
  if (!outputs_.guards_are_whole(stream(0))) {
    record_.verified = false;
    return;
  }
  if (calls_ != nullptr) {
    record_checks();
    record_.check_time = calls_->check_time(*device_->make_event(), *device_->make_event());
    record_.least_bytes = bytes_through_memory();
    if (timer_->was_dropped()) return drop(std::move(timing));
    const auto time_call = [this] { return timer_->time_apart(); };
    for (const Summary& set : timing.by_set) slowest_set_s_ = std::max(slowest_set_s_, set.median);
    suspect(calls_->compare_sets(timing.by_set, time_call));
    if (record_.status == Status::kOk) suspect(calls_->look_for_memory(timing.cold, time_call));
  }
  const std::string timing_doubt = timing.doubt;
  add_timing(std::move(timing), record_);
  suspect(timing_doubt);
  suspect(busy_threads_);
  suspect(prepared_answer_);
  if (calls_ != nullptr) suspect(faster_than_a_launch(record_.cold, output_bytes(), *tools_));
  for (const std::string& vacuous : {setting_.vacuous, setting_.known}) {
    suspect(vacuous);
    if (!vacuous.empty()) record_.verified = false;
  }
  measure_energy();
  if (!setting_.lists_launches) return;
  enter(Phase::kRecord);
  list_launches();
  gather_evidence();
}

/// Too slow to be the best: its samples are kept, and nothing else is measured.
void PreparedVariant::drop(Timing timing) {
  add_timing(std::move(timing), record_);
  record_.status = Status::kDropped;
  record_.phase = Phase::kMeasure;
  record_.reason = fmt::format("{}, which the best one so far allows", record_.stop_reason);
}

/// Runs that follow have wrong outputs; the result does not depend on them.
void PreparedVariant::gather_evidence() {
  const MeasureSpec& measure = setting_.measure;
  if (calls_ == nullptr || record_.status != Status::kOk || !setting_.is_explained) return;
  if (measure.counters == EvidenceChoice::kOff && measure.twins == EvidenceChoice::kOff) return;
  enter(Phase::kExplain);
  const auto begin = MeasuringClock::now();
  const ArrayBytes arrays{.inputs = memory_->uploaded_bytes(), .outputs = output_bytes()};
  add_static_evidence(record_, device_->properties(), kernels_, arrays);
  // The result is final, even if gathering its evidence fails.
  try {
    read_counters_and_twins();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    record_.add_note(NoteKind::kEvidence, std::string_view(text).substr(0, text.find('\n')));
    has_lost_device_ = device_->properties().is_lost_by_crash && is_crash(std::current_exception());
  }
  evidence_s_ = seconds_since(begin);
}

void PreparedVariant::read_counters_and_twins() {
  const MeasureSpec& measure = setting_.measure;
  RestoredOutputs restored(outputs_.all());
  if (measure.counters == EvidenceChoice::kAuto && device_->properties().is_gpu)
    add_counters(
        record_, *device_, streams(),
        // In the state of a cold sample, which is ranked.
        {.prepare =
             [&] {
               restored.prepare(stream(0));
               if (measure.flush_l2) tools_->flush(stream(0));
             },
         .after_flush = [&] { return measure.flush_l2 ? tools_->read_flushed(stream(0)) : 0; },
         .work = [this] { call(); }});
  if (measure.twins == EvidenceChoice::kOff || budget_.staged() > 0) return;
  // Twins may take 30 % of the case's time without them; the time so far includes those of earlier
  // variants.
  constexpr double kTwinShare = 0.23;
  const std::vector<TwinTime> times =
      time_twins({.work = [this] { call(); },
                  .streams = streams(),
                  .checks = &restored,
                  .measure = measure,
                  .twins = possible_twins(record_, device_->properties(), kernels_),
                  .budget_s = setting_.spent_s ? kTwinShare * setting_.spent_s() : 0},
                 *tools_);
  add_twins(record_, times);
}

void PreparedVariant::leave_turn() {
  if (calls_ != nullptr) calls_->hide_outputs();
}

/// Kernels in a job need not read all of their inputs.
double PreparedVariant::bytes_through_memory() const {
  double read = 0, written = 0;
  if (record_.workload != "inline" && record_.bytes_read > 0)
    read = std::min(record_.bytes_read, memory_->uploaded_bytes());
  for (const GuardedOutput* each : outputs_.all())
    if (!each->has_contents()) written += static_cast<double>(each->array().bytes());
  return least_bytes(read, written);
}

void PreparedVariant::measure_energy() {
  if (setting_.measure.energy == EnergyChoice::kOff || calls_ == nullptr) return;
  if (const std::string reason = calls_->why_not_hot(); !reason.empty())
    return record_.add_note(NoteKind::kEnergy, reason);
  calls_->prepare(stream(0));
  StreamBatches batches(*device_, streams(), [this] { call(); });
  const bool is_slice = !device_->properties().mig_profile.empty();
  EnergyPhase phase(tools_->telemetry(), is_slice);
  add_energy(phase.run(batches, record_.cold.median), record_);
}

}  // namespace kernelbatch
