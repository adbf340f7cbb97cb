#include "core/case/variant/device_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {
namespace {

/// Hash of the kernels' sources, independent of the target.
std::string hash_of_kernels(const std::vector<ProgramLog::Entry>& kernels) {
  std::string text;
  for (const ProgramLog::Entry& kernel : kernels)
    for (const std::string& part : {kernel.name, kernel.hash, kernel.options})
      append_sized(text, part);
  constexpr std::size_t kLetters = 16;
  return kernels.empty() ? "" : hash_hex(text).substr(0, kLetters);
}

void add_kernels(const ProgramLog& log, ResultRecord& record) {
  record.compile_time = log.compile_s;
  record.load_time = log.load_s;
  record.kernel_hash = hash_of_kernels(log.kernels);
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
    record.registers = std::max(record.registers, kernel.registers);
    record.shared_bytes = std::max(record.shared_bytes, kernel.shared_static);
    record.local_bytes = std::max(record.local_bytes, kernel.local_bytes);
    record.kernels.push_back(std::move(kernel));
  }
}

}  // namespace

DeviceVariant::DeviceVariant(const VariantDeclaration& variant, Device& device, RunSetting setting,
                             ResultRecord record)
    : PreparedVariant(variant, std::move(setting), std::move(record)),
      device_(device),
      run_({device, setting_.params, setting_.inputs, budget_, outputs_, record_}) {}

void DeviceVariant::make_work(const Problem& problem) {
  work_ = variant_.prepare(problem, run_);
  require_work(work_);
  for (const OutputArray& spec : setting_.outputs) run_.output(spec.name);
  run_.wait();
}

void DeviceVariant::note_staging() {
  if (budget_.staged() > 0)
    record_.add_note(NoteKind::kOther,
                     fmt::format("{} pass through the device in pieces: limits.memory allows {}",
                                 format_bytes(static_cast<std::uint64_t>(budget_.staged())),
                                 format_bytes(static_cast<std::uint64_t>(budget_.limit()))));
}

void DeviceVariant::first_call() {
  take_program_log(device_);
  // Kernels are compiled in the first call; a CompileError sets its own phase, all other errors
  // belong to kRun.
  enter(Phase::kRun);
  const auto start = MeasuringClock::now();
  call();
  run_.wait();
  const double total = seconds_since(start);
  ProgramLog log = take_program_log(device_);
  add_kernels(log, record_);
  kernels_ = std::move(log.kernels);
  record_.first_launch_time = std::max(0.0, total - record_.compile_time - record_.load_time);
}

bool DeviceVariant::verify_first_call() {
  outputs_.refill(run_.first());
  run_.describe_outputs();
  first_call();
  enter(Phase::kVerify);
  return outputs_.verify_first(run_.first());
}

void BareVariant::prepare(const Problem& problem) {
  const RangeEnd end(*this);
  enter(Phase::kLaunch);
  run_.first();
  make_work(problem);
  note_staging();
}

bool BareVariant::verify() {
  const RangeEnd end(*this);
  return verify_first_call() && setting_.is_timed;
}

VariantTimer& BareVariant::timer(TimingTools& tools) {
  phase_ = Phase::kMeasure;
  if (timer_ != nullptr) return *timer_;
  calls_ = std::make_unique<RestoredOutputs>(outputs_.all());
  timer_ = std::make_unique<VariantTimer>([this] { call(); }, run_.streams(), setting_.measure,
                                          tools, calls_.get());
  return *timer_;
}

void BareVariant::finish() {
  const RangeEnd end(*this);
  phase_ = Phase::kMeasure;
  Timing timing = timer_->finish();
  run_.wait();
  if (!outputs_.guards_are_whole(run_.first())) {
    record_.verified = false;
    return;
  }
  const std::string doubt = timing.doubt;
  add_timing(std::move(timing), record_);
  suspect(doubt);
  suspect_vacuous();
}

OutputArrays BareVariant::take_outputs() {
  return outputs_.take(0, run_.has_streams() ? &run_.first() : nullptr);
}

}  // namespace kernelbatch
