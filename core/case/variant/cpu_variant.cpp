#include "core/case/variant/cpu_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/clock.hpp"

namespace kernelbatch {
namespace {

constexpr double kQuickReferenceSeconds = 0.05;

[[noreturn]] void refuse_device() {
  throw std::logic_error("a reference has no device: it computes on the CPU");
}

}  // namespace

Device& CpuVariant::device() { refuse_device(); }
Stream& CpuVariant::stream(int) { refuse_device(); }
Array CpuVariant::to_device(const Array&) { refuse_device(); }
Array CpuVariant::scratch(DType, const Shape&) { refuse_device(); }
VariantTimer& CpuVariant::timer(TimingTools&) { refuse_device(); }

void CpuVariant::prepare(const Problem& problem) {
  const RangeEnd end(*this);
  enter(Phase::kLaunch);
  work_ = variant_.prepare(problem, *this);
  require_work(work_);
  for (const OutputArray& spec : setting_.outputs) output(spec.name);
}

bool CpuVariant::verify() {
  const RangeEnd end(*this);
  enter(Phase::kRun);
  const auto start = MeasuringClock::now();
  work_(nullptr);
  record_.first_launch_time = seconds_since(start);
  // If no call follows, the outputs can be taken without a copy.
  const OutputArrays made = setting_.is_timed ? made_.copied() : made_.taken();
  enter(Phase::kVerify);
  if (outputs_.compare_first(made) && setting_.is_timed && setting_.measure.times) time(made);
  return false;
}

void CpuVariant::time(const OutputArrays& first) {
  enter(Phase::kMeasure);
  std::int64_t calls = 1;
  const auto check = [&] {
    ++calls;
    if (made_.are_same(first)) return;
    record_.deterministic = false;
    made_.require_alike(first, setting_.outputs,
                        fmt::format("call {} (sample {})", calls, calls - 1));
  };
  record_.deterministic = true;
  MeasureSpec measure = setting_.measure;
  // CPU times rarely become precise: without a limit, they would take most of a quick run.
  if (measure.preset == Preset::kQuick)
    measure.timeout_s = std::min(measure.timeout_s, kQuickReferenceSeconds);
  add_timing(time_on_cpu([this] { work_(nullptr); }, measure, [this] { made_.poison(); }, check),
             record_);
  record_.checked_calls = calls;
  record_.input_sets = 1;
}

}  // namespace kernelbatch
