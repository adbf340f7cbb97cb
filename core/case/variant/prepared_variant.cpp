#include "core/case/variant/prepared_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/case/doubts.hpp"
#include "core/kernel/program/program.hpp"
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

}  // namespace

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

/// The first reason is kept.
void PreparedVariant::suspect(const std::string& reason) {
  if (reason.empty() || record_.status != Status::kOk) return;
  record_.status = Status::kSuspect;
  record_.phase = Phase::kMeasure;
  record_.reason = reason;
}

}  // namespace kernelbatch
