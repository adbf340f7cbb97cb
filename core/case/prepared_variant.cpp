#include "core/case/prepared_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/text.hpp"
#include "core/case/doubts.hpp"
#include "core/case/evidence.hpp"
#include "core/case/failure.hpp"
#include "core/case/output_spill.hpp"
#include "core/kernel/program/program.hpp"
#include "core/measure/energy.hpp"
#include "core/measure/launch_summary.hpp"
#include "core/measure/suspicion.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

void add_seconds(double& total, double seconds) {
  total = std::isnan(total) ? seconds : total + seconds;
}

/// Hash of the kernels' sources, independent of the target.
std::string hash_of_kernels(const std::vector<ProgramLog::Entry>& kernels) {
  std::string text;
  for (const ProgramLog::Entry& kernel : kernels)
    for (const std::string& part : {kernel.name, kernel.hash, kernel.options})
      append_sized(text, part);
  constexpr std::size_t kLetters = 16;
  return kernels.empty() ? "" : hash_hex(text).substr(0, kLetters);
}

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

/// True if outputs begin with other elements than those of another set of inputs.
bool other_contents(const std::vector<OutputArray>& outputs,
                    const std::vector<OutputArray>& others) {
  for (const OutputArray& output : outputs) {
    const Array &a = output.initial, &b = output_named(others, output.name).initial;
    if (a.bytes() != b.bytes() || (a.bytes() > 0 && !equal_bytes(a.data(), b.data(), a.bytes())))
      return true;
  }
  return false;
}

}  // namespace

/// Closes this variant's profiler ranges before another variant's begin, since ranges nest.
struct PreparedVariant::RangeEnd {
  explicit RangeEnd(PreparedVariant& of) : variant(of) {}
  ~RangeEnd() { variant.range_.reset(); }
  RangeEnd(const RangeEnd&) = delete;
  RangeEnd& operator=(const RangeEnd&) = delete;
  PreparedVariant& variant;
};

PreparedVariant::PreparedVariant(const VariantDeclaration& variant, Device* device,
                                 RunSetting setting, ResultRecord record)
    : variant_(variant),
      device_(device),
      setting_(std::move(setting)),
      record_(std::move(record)),
      budget_(setting_.memory),
      outputs_({setting_.shared, setting_.kept, budget_, record_}, setting_.outputs,
               setting_.want) {
  if (setting_.checks != nullptr)
    memory_ = std::make_unique<PreparedMemory>(*setting_.checks, *setting_.inputs,
                                               std::move(setting_.problem));
}

PreparedVariant::~PreparedVariant() = default;

void PreparedVariant::enter(Phase phase) {
  range_.reset();
  range_.emplace(std::string(name_of(phase)));
  phase_ = phase;
  setting_.on_phase(phase);
}

void PreparedVariant::call() { work_(device_ == nullptr ? nullptr : streams_.front().get()); }

void PreparedVariant::prepare(const Problem& problem) {
  const RangeEnd end(*this);
  enter(Phase::kLaunch);
  if (memory_ != nullptr) threads_before_ = ThreadTimes::now();
  if (device_ != nullptr) stream(0);
  const auto make_work = [&] {
    work_ = variant_.prepare(problem, *this);
    require_work(work_);
    for (const OutputArray& spec : setting_.outputs) output(spec.name);
    if (device_ != nullptr) wait_for_streams();
  };
  memory_ == nullptr ? make_work() : memory_->prepare(make_work, stream(0));
  if (budget_.staged() > 0)
    record_.add_note(NoteKind::kOther,
                     fmt::format("{} pass through the device in pieces: limits.memory allows {}",
                                 format_bytes(static_cast<std::uint64_t>(budget_.staged())),
                                 format_bytes(static_cast<std::uint64_t>(budget_.limit()))));
}

bool PreparedVariant::verify() {
  const RangeEnd end(*this);
  if (device_ != nullptr) return verify_on_device();
  verify_on_cpu();
  return false;
}

Device& PreparedVariant::device() {
  if (device_ == nullptr)
    throw std::logic_error("a reference has no device: it computes on the CPU");
  return *device_;
}

Stream& PreparedVariant::stream(int number) {
  const auto at = static_cast<std::size_t>(number);
  while (streams_.size() <= at) streams_.push_back(device().make_stream());
  return *streams_[at];
}

Array PreparedVariant::to_device(const Array& host) {
  if (budget_.stays_on_host(host.bytes())) {
    const Array staged = Array::staged(contiguous(host), device());
    if (memory_ != nullptr) memory_->add_upload(host, staged);
    return staged;
  }
  budget_.count(static_cast<double>(host.bytes()));
  Stream& queue = stream(0);
  const Clock::time_point start = Clock::now();
  Array copied = kernelbatch::to_device(host, queue);
  add_seconds(record_.h2d_time, seconds_since(start));
  describe_upload(host, copied);
  if (memory_ != nullptr) memory_->add_upload(host, copied);
  return copied;
}

Array PreparedVariant::scratch(DType dtype, const Shape& shape) {
  budget_.count(static_cast<double>(element_count(shape)) * static_cast<double>(size_of(dtype)));
  const Array made = Array::on_device(device(), dtype, shape);
  describe(made, "scratch", ArrayUse::kScratch);
  if (memory_ != nullptr) memory_->add_scratch(made, stream(0));
  return made;
}

Array PreparedVariant::output(std::string_view name) {
  return device_ == nullptr ? reference_.array(outputs_.spec(name))
                            : outputs_.array(name, *device_);
}

/// Describes an array to the device's checks, if any.
void PreparedVariant::describe(const Array& array, const std::string& name, ArrayUse use) {
  AccessChecks* const checks = device().access_checks();
  if (checks == nullptr || array.bytes() == 0) return;
  checks->describe(array.data(), array.bytes(), size_of(array.dtype()), name, use);
}

void PreparedVariant::describe_upload(const Array& host, const Array& copied) {
  if (setting_.inputs != nullptr)
    for (const auto& [name, input] : *setting_.inputs)
      if (input.data() == host.data() && input.bytes() == host.bytes())
        return describe(copied, name, ArrayUse::kInput);
  describe(copied, "", ArrayUse::kUpdated);
}

void PreparedVariant::verify_on_cpu() {
  enter(Phase::kRun);
  const Clock::time_point start = Clock::now();
  call();
  record_.first_launch_time = seconds_since(start);
  // If no call follows, the outputs can be taken without a copy.
  OutputArrays made = setting_.is_timed ? reference_.copied() : reference_.taken();
  enter(Phase::kVerify);
  if (!outputs_.compare_first(std::move(made)) || !setting_.is_timed) return;
  enter(Phase::kMeasure);
  std::int64_t calls = 1;
  const auto check = [&] {
    ++calls;
    if (reference_.are_same(outputs_.first())) return;
    record_.deterministic = false;
    reference_.require_alike(outputs_.first(), setting_.outputs,
                             fmt::format("call {} (sample {})", calls, calls - 1));
  };
  record_.deterministic = true;
  add_timing(
      time_on_cpu([this] { call(); }, setting_.measure, [this] { reference_.poison(); }, check),
      record_);
  record_.checked_calls = calls;
  record_.input_sets = 1;
}

void PreparedVariant::first_call() {
  take_program_log(*device_);
  // Kernels are compiled in the first call; a CompileError sets its own phase, all other errors
  // belong to kRun.
  enter(Phase::kRun);
  const Clock::time_point start = Clock::now();
  call();
  wait_for_streams();
  const double total = seconds_since(start);
  record_kernels();
  record_.first_launch_time = std::max(0.0, total - record_.compile_time - record_.load_time);
}

void PreparedVariant::record_kernels() {
  const ProgramLog log = take_program_log(*device_);
  record_.compile_time = log.compile_s;
  record_.load_time = log.load_s;
  kernels_ = log.kernels;
  record_.kernel_hash = hash_of_kernels(log.kernels);
  for (const ProgramLog::Entry& entry : log.kernels) {
    KernelRecord kernel;
    kernel.name = entry.name;
    kernel.source_hash = entry.hash;
    kernel.target = entry.target;
    kernel.options = entry.options;
    kernel.registers = entry.attributes.registers;
    kernel.shared_static = entry.attributes.shared_static;
    kernel.local_bytes = entry.attributes.local_bytes;
    kernel.max_threads = entry.attributes.max_threads;
    record_.registers = std::max(record_.registers, kernel.registers);
    record_.shared_bytes = std::max(record_.shared_bytes, kernel.shared_static);
    record_.local_bytes = std::max(record_.local_bytes, kernel.local_bytes);
    record_.kernels.push_back(std::move(kernel));
  }
}

std::vector<Stream*> PreparedVariant::streams() const {
  std::vector<Stream*> all;
  for (const auto& each : streams_) all.push_back(each.get());
  return all;
}

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

void PreparedVariant::wait_for_streams() {
  for (const auto& each : streams_) each->synchronize();
}

OutputArrays PreparedVariant::take_outputs() {
  return outputs_.take(memory_ != nullptr ? memory_->set() : 0, device_ == nullptr ? nullptr
                                                                : streams_.empty() ? nullptr
                                                                                   : &stream(0));
}

bool PreparedVariant::verify_on_device() {
  outputs_.refill(stream(0));
  // Poisoned outputs count as uninitialized.
  for (const auto& [name, output] : outputs_.named())
    describe(output->array(), name,
             output->has_contents() ? ArrayUse::kUpdated : ArrayUse::kOutput);
  first_call();
  enter(Phase::kVerify);
  if (!outputs_.verify_first(stream(0))) return false;
  if (memory_ == nullptr) return setting_.is_timed;
  look_for_answer();
  make_checks();
  for (int k = 1; k < setting_.repeat; ++k) {
    enter(Phase::kRun);
    calls_->call(fmt::format("repetition {} of {}", k + 1, setting_.repeat));
  }
  memory_->require_unchanged(stream(0));
  record_checks();
  if (setting_.is_timed) busy_threads_ = busy_threads(threads_before_);
  return setting_.is_timed;
}

void PreparedVariant::make_checks() {
  CheckedCalls::Setting setting{
      .check = {.kernels = *setting_.checks,
                .outputs = outputs_.all(),
                .must_be_deterministic = setting_.must_be_deterministic,
                .compare = [this] { return outputs_.compare_again(memory_->set(), stream(0)); },
                .want_on_device =
                    [this](const OutputArray& spec) {
                      return outputs_.want_on_device(memory_->set(), spec, stream(0));
                    }},
      .memory = *memory_,
      .streams = streams(),
      .work = [this] { call(); },
      .first_calls = std::max(1, setting_.measure.warmup + setting_.measure.min_samples / 2)};
  outputs_.keep_contents(stream(0));
  calls_ = std::make_unique<CheckedCalls>(std::move(setting));
  calls_->learn();
}

void PreparedVariant::add_second_set(const SecondInputs& second) {
  const RangeEnd end(*this);
  if (calls_ == nullptr) return;
  enter(Phase::kVerify);
  prepare_second(second);
  record_checks();
}

void PreparedVariant::prepare_second(const SecondInputs& second) {
  const std::string reason = memory_->prepare_second(
      [&](Run& run) { variant_.prepare(second.problem, run); }, *this, second.drawn,
      [this](std::size_t bytes) { return budget_.may_keep(bytes, *device_); }, stream(0),
      [&](const Array& host) { return second_on_device(second, host); },
      other_contents(setting_.outputs, second.outputs), second.problem_memory);
  if (!reason.empty()) return record_.add_note(NoteKind::kSecondSet, reason);
  record_.input_seed = second.seed;
  outputs_.add_set(second.outputs, &second.want, stream(0));
  calls_->use_set(1);
  try {
    calls_->call("the first one on other inputs");
  } catch (const VerificationError& error) {
    if (!calls_->check().is_learned(0, stream(0))) throw;
    throw VerificationError(
        fmt::format("{}: it gives the answer to the first inputs, whatever its input arrays hold",
                    calls_->last_call()),
        "inputs not read");
  }
  calls_->learn();
  if (!setting_.known.empty() && distinguishes_sets()) setting_.known.clear();
  check_use_of_inputs();
  calls_->begin_turns();
}

/// True if the outputs for each of the two sets are computed from it. The second set is current
/// before and after.
bool PreparedVariant::distinguishes_sets() {
  if (!outputs_.distinguish(0, 1, stream(0))) return false;
  calls_->use_set(0);
  calls_->call("one more on the first inputs");
  const bool is_other = outputs_.distinguish(1, 0, stream(0));
  calls_->use_set(1);
  return is_other;
}

/// With the second inputs, but arrays that the preparation computed from the first: work that gives
/// the first answer does not read its inputs.
void PreparedVariant::check_use_of_inputs() {
  if (!memory_->exchange_made(stream(0))) return;
  calls_->call_on_unknown();
  const std::string name = outputs_.answer_of_other_set(0, 1, stream(0));
  memory_->exchange_made(stream(0));
  // The outputs now hold no valid answer.
  calls_->call("a call after one on exchanged memory");
  if (name.empty()) return;
  prepared_answer_ = fmt::format(
      "output '{}' depends only on arrays that the preparation computed from the inputs, which is "
      "not timed: compute them in the timed work, or in the problem that all variants share",
      name);
}

/// A device copy of an input of the second set, shared by all variants.
Array PreparedVariant::second_on_device(const SecondInputs& second, const Array& host) {
  const bool is_input = std::ranges::any_of(second.inputs, [&](const auto& named) {
    return named.second.data() == host.data() && named.second.bytes() == host.bytes();
  });
  return is_input && host.is_contiguous() ? setting_.shared.on_device(host, stream(0)) : Array{};
}

/// An array created by the preparation that already holds the answer leaves nothing to compute.
void PreparedVariant::look_for_answer() {
  for (const OutputArray& spec : setting_.outputs) {
    const Array* const right = outputs_.want(spec);
    if (right == nullptr || right->size() < 2) continue;
    const auto is_answer = [&](const Array& array) {
      return array.dtype() == spec.dtype && array.size() == right->size() &&
             compare(to_host(array, stream(0)).reshape(right->shape()), astype(*right, spec.dtype),
                     spec.tolerance)
                 .equal;
    };
    const std::string where = memory_->find_answer(is_answer);
    if (!where.empty())
      throw VerificationError(
          fmt::format("its preparation leaves the answer '{}' in {}: what is timed would only copy "
                      "it",
                      spec.name, where),
          "prepared answer");
  }
}

void PreparedVariant::record_checks() {
  record_.checked_calls = 1 + calls_->check().checked_calls();
  record_.input_sets = memory_->has_second() ? 2 : 1;
  record_.deterministic = calls_->check().is_deterministic();
  record_.digest.clear();
  const auto add = [this](std::string_view name, const std::vector<Digest>& digests) {
    for (const Digest& digest : digests)
      record_.digest +=
          fmt::format("{}{}:{}", record_.digest.empty() ? "" : " ", name, to_text(digest));
  };
  add("in", memory_->known());
  add("out", calls_->check().known());
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

/// The first reason is kept.
void PreparedVariant::suspect(const std::string& reason) {
  if (reason.empty() || record_.status != Status::kOk) return;
  record_.status = Status::kSuspect;
  record_.phase = Phase::kMeasure;
  record_.reason = reason;
}

}  // namespace kernelbatch
