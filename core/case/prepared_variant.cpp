#include "core/case/prepared_variant.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/program.hpp"
#include "core/measure/launch_summary.hpp"
#include "core/verify/verify.hpp"

namespace kernelbatch {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void add_seconds(double& total, double seconds) {
  total = std::isnan(total) ? seconds : total + seconds;
}

bool same_bits(const OutputArrays& a, const OutputArrays& b) {
  for (const auto& [name, array] : a) {
    const Array& other = b.at(name);
    if (array.bytes() > 0 && std::memcmp(array.data(), other.data(), array.bytes()) != 0)
      return false;
  }
  return true;
}

}  // namespace

/// Ranges of a profiler's timeline nest: none stays open when another variant comes.
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
      memory_used_(setting_.memory_used != nullptr ? setting_.memory_used : &own_memory_) {}

PreparedVariant::~PreparedVariant() { *memory_used_ -= counted_; }

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
  if (device_ != nullptr) stream(0);
  work_ = variant_.prepare(problem, *this);
  if (!work_) throw std::logic_error("the variant returned no work");
  for (const OutputArray& spec : setting_.outputs) output(spec.name);
  if (staged_ > 0)
    add_note(record_, fmt::format("{} pass through the device in pieces: limits.memory allows {}",
                                  format_bytes(static_cast<std::uint64_t>(staged_)),
                                  format_bytes(static_cast<std::uint64_t>(setting_.memory_limit))));
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

void PreparedVariant::count_memory(double bytes) {
  counted_ += bytes;
  *memory_used_ += bytes;
  if (setting_.memory_limit > 0 && *memory_used_ > setting_.memory_limit)
    throw OutOfMemoryError(
        fmt::format("the variant needs {} on the device, limits.memory allows {}",
                    format_bytes(static_cast<std::uint64_t>(counted_)),
                    format_bytes(static_cast<std::uint64_t>(setting_.memory_limit))));
}

bool PreparedVariant::stays_on_host(std::size_t bytes) {
  if (!setting_.may_stream || setting_.memory_limit <= 0) return false;
  const auto size = static_cast<double>(bytes);
  const bool fits = counted_ + size <= setting_.memory_limit;
  // Of a case that does not fit none of the large arrays is there: buffers need room as well.
  const bool is_large =
      setting_.case_bytes > setting_.memory_limit && size > setting_.memory_limit / 8;
  if (fits && !is_large) return false;
  // Two streams take turns, each with a buffer: what is no larger gains nothing.
  const std::size_t buffers = 2 * staging_bytes(bytes);
  if (bytes <= buffers) return false;
  staged_ += size;
  count_memory(static_cast<double>(buffers));
  return true;
}

Array PreparedVariant::to_device(const Array& host) {
  if (stays_on_host(host.bytes())) return Array::staged(contiguous(host), device());
  count_memory(static_cast<double>(host.bytes()));
  Stream& queue = stream(0);
  const Clock::time_point start = Clock::now();
  Array copied = kernelbatch::to_device(host, queue);
  add_seconds(record_.h2d_time, seconds_since(start));
  return copied;
}

Array PreparedVariant::scratch(DType dtype, const Shape& shape) {
  count_memory(static_cast<double>(element_count(shape)) * static_cast<double>(size_of(dtype)));
  return Array::on_device(device(), dtype, shape);
}

Array PreparedVariant::output(std::string_view name) {
  const OutputArray* spec = nullptr;
  for (const OutputArray& each : setting_.outputs)
    if (each.name == name) spec = &each;
  if (spec == nullptr)
    throw std::logic_error(fmt::format("the workload declares no output '{}'", name));
  if (device_ == nullptr) {
    const auto found = host_outputs_.find(name);
    if (found != host_outputs_.end()) return found->second;
    return host_outputs_.emplace(name, Array::on_host(spec->dtype, spec->shape)).first->second;
  }
  const auto found = guarded_.find(name);
  if (found != guarded_.end()) return found->second->array();
  const std::size_t bytes =
      static_cast<std::size_t>(element_count(spec->shape)) * size_of(spec->dtype);
  const bool is_staged = stays_on_host(bytes);
  if (!is_staged) count_memory(static_cast<double>(bytes));
  auto guarded = std::make_unique<GuardedOutput>(*device_, *spec, is_staged);
  return guarded_.emplace(name, std::move(guarded)).first->second->array();
}

void PreparedVariant::verify_on_cpu() {
  enter(Phase::kRun);
  const Clock::time_point start = Clock::now();
  call();
  record_.first_launch_time = seconds_since(start);
  for (const auto& [name, array] : host_outputs_) {
    Array copied = Array::on_host(array.dtype(), array.shape());
    if (array.bytes() > 0) std::memcpy(copied.data(), array.data(), array.bytes());
    got_[name] = copied;
  }
  enter(Phase::kVerify);
  if (!compare() || !setting_.is_timed) return;
  enter(Phase::kMeasure);
  add_timing(time_on_cpu([this] { call(); }, setting_.measure), record_);
}

void PreparedVariant::first_call() {
  take_program_log();
  // Kernels are compiled inside; a compiler's refusal says so itself, whatever else ends here ran.
  enter(Phase::kRun);
  const Clock::time_point start = Clock::now();
  call();
  wait_for_streams();
  const double total = seconds_since(start);
  record_kernels();
  record_.first_launch_time = std::max(0.0, total - record_.compile_time - record_.load_time);
}

void PreparedVariant::record_kernels() {
  const ProgramLog log = take_program_log();
  record_.compile_time = log.compile_s;
  record_.load_time = log.load_s;
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

/// One more run, after all timing: listing may slow launches down.
void PreparedVariant::list_launches() {
  const LaunchList list = record_launches(*device_, stream(0), [this] { call(); });
  wait_for_streams();
  if (!list.reason.empty())
    add_note(record_, fmt::format("launches from {}: {}", list.source, list.reason));
  add_launches(list, record_);
}

void PreparedVariant::wait_for_streams() {
  for (const auto& each : streams_) each->synchronize();
}

OutputArrays PreparedVariant::read_outputs() {
  OutputArrays outputs;
  const Clock::time_point start = Clock::now();
  for (const auto& [name, guarded] : guarded_) outputs[name] = to_host(guarded->array(), stream(0));
  record_.d2h_time = seconds_since(start);
  return outputs;
}

bool PreparedVariant::guards_are_whole() {
  for (const auto& [name, guarded] : guarded_) {
    const std::string reason = guarded->check_guards(stream(0));
    if (reason.empty()) continue;
    overrun_.insert(name);
    for (OutputRecord& output : record_.outputs)
      if (output.name == name) forget_errors(output);
    if (record_.status == Status::kVerificationFailed) continue;
    record_.status = Status::kVerificationFailed;
    record_.phase = Phase::kVerify;
    record_.reason = reason;
  }
  return overrun_.empty();
}

bool PreparedVariant::compare() {
  bool all_compared = true;
  for (const OutputArray& spec : setting_.outputs) {
    OutputRecord output;
    output.name = spec.name;
    output.dtype = spec.dtype;
    output.shape.assign(spec.shape.begin(), spec.shape.end());
    output.dimensions = spec.dimensions;
    output.units = spec.units;
    output.help = spec.help;
    const Array& got = got_.at(spec.name);
    output.xxh3 = hash_hex(std::span<const std::byte>(got.data(), got.bytes()));
    if (!spec.has_reference) {
      all_compared = false;
      output.mode = "none";
      record_.outputs.push_back(std::move(output));
      continue;
    }
    std::string reason;
    // The yardstick itself has nothing to be compared with.
    const std::string& other = spec.compared_with.empty() ? spec.name : spec.compared_with;
    const Array want =
        setting_.want == nullptr ? got : astype(setting_.want->at(other), spec.dtype);
    const bool is_right = verify_output(spec, got, want, output, reason);
    if (setting_.want == nullptr) output.mode = "reference";
    if (overrun_.contains(spec.name)) forget_errors(output);
    if (!is_right && record_.status == Status::kOk) {
      record_.status = Status::kVerificationFailed;
      record_.phase = Phase::kVerify;
      record_.reason = reason;
    }
    record_.outputs.push_back(std::move(output));
  }
  record_.verified = record_.status == Status::kOk && all_compared;
  return record_.status == Status::kOk;
}

bool PreparedVariant::verify_on_device() {
  const auto refill = [&] {
    for (const auto& [name, guarded] : guarded_) guarded->refill(stream(0));
  };
  refill();
  first_call();
  const bool whole = guards_are_whole();
  got_ = read_outputs();
  if (whole && setting_.repeat > 1) {
    refill();
    call();
    wait_for_streams();
    record_.deterministic = same_bits(got_, read_outputs());
  }
  enter(Phase::kVerify);
  const bool is_right = compare();
  return whole && is_right && setting_.is_timed;
}

VariantTimer& PreparedVariant::timer(TimingTools& tools) {
  phase_ = Phase::kMeasure;
  if (timer_ == nullptr) {
    std::vector<Stream*> streams;
    for (const auto& each : streams_) streams.push_back(each.get());
    timer_ = std::make_unique<VariantTimer>([this] { call(); }, std::move(streams),
                                            setting_.measure, tools);
  }
  return *timer_;
}

void PreparedVariant::finish() {
  const RangeEnd end(*this);
  phase_ = Phase::kMeasure;
  Timing timing = timer_->finish();
  wait_for_streams();
  if (!guards_are_whole()) {
    record_.verified = false;
    return;
  }
  add_timing(std::move(timing), record_);
  if (!setting_.lists_launches) return;
  enter(Phase::kRecord);
  list_launches();
}

}  // namespace kernelbatch
