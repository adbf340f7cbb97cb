#include "core/measure/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/suspicion.hpp"
#include "core/measure/timed_regions.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

constexpr double kTurnSeconds = 20e-3;
/// Batches of calls back to back.
struct HotBatches {
  double seconds;  ///< of each
  std::size_t count;
};
constexpr HotBatches kHotBatches{5e-3, 10}, kQuickHotBatches{1e-3, 5};
/// How long the blocking kernel waits for the host before the stream continues by itself.
constexpr double kShortestPatience = 20e-3, kLongestPatience = 0.5;

const HotBatches& hot_batches(const MeasureSpec& spec) {
  return spec.preset == Preset::kQuick ? kQuickHotBatches : kHotBatches;
}

}  // namespace

CallChecks::~CallChecks() = default;
void CallChecks::prepare(Stream&) {}
void CallChecks::queue_check(Stream&) {}
void CallChecks::finish_check(const std::string&) {}
std::size_t CallChecks::input_set() const { return 0; }
std::string CallChecks::why_not_hot() { return ""; }
void CallChecks::perturb(Stream&) {}

VariantTimer::VariantTimer(std::function<void()> work, std::vector<Stream*> streams,
                           const MeasureSpec& spec, TimingTools& tools, CallChecks* checks)
    : work_(std::move(work)),
      streams_(std::move(streams)),
      spec_(spec),
      tools_(tools),
      checks_(checks != nullptr ? *checks : no_checks_),
      start_(tools.device().make_event()),
      stop_(tools.device().make_event()),
      part_start_(tools.device().make_event()),
      part_stop_(tools.device().make_event()),
      log_(spec.telemetry ? &tools.telemetry() : nullptr),
      cool_down_(log_, tools.device().properties().clock),
      rule_(spec),
      random_(std::random_device{}()),
      is_asynchronous_(tools.device().properties().is_asynchronous) {
  for (std::size_t k = 1; k < streams_.size(); ++k) joins_.push_back(tools.device().make_event());
}

/// The start event, the work on all its streams, the stop event.
void VariantTimer::queue(int count) {
  Stream& first = *streams_.front();
  first.record(*start_);
  for (std::size_t k = 1; k < streams_.size(); ++k) streams_[k]->wait(*start_);
  const Clock::time_point before = Clock::now();
  for (int k = 0; k < count; ++k) work_();
  submitted_s_ = seconds_since(before);
  for (std::size_t k = 1; k < streams_.size(); ++k) {
    streams_[k]->record(*joins_[k - 1]);
    first.wait(*joins_[k - 1]);
  }
  first.record(*stop_);
}

void VariantTimer::queue_held() {
  // Before the hold: it stores to host memory, which would delay the work's first kernel by 0.05 µs
  // (H200).
  tools_.gate().read_clock(*streams_.front(), Gate::Moment::kBefore);
  const Hold hold(tools_.gate(), *streams_.front(), patience_s_);
  queue(1);
  tools_.gate().read_clock(*streams_.front(), Gate::Moment::kAfter);
  checks_.queue_check(*streams_.front());
}

void VariantTimer::call_apart(const char* name) {
  Stream& first = *streams_.front();
  checks_.prepare(first);
  queue(1);
  checks_.queue_check(first);
  first.synchronize();
  checks_.finish_check(name);
}

void VariantTimer::probe_gate(double submit_s) {
  patience_s_ = std::clamp(10 * submit_s, kShortestPatience, kLongestPatience);
  // Second try: the first hold may have been late because this process was not scheduled.
  for (int attempt = 0; attempt < 2 && !is_held_; ++attempt) {
    checks_.prepare(*streams_.front());
    queue_held();
    streams_.front()->synchronize();
    is_held_ = !tools_.gate().was_late();
    checks_.finish_check("a call that tries to hold launches back");
  }
  if (!is_held_)
    notes_.push_back(
        {NoteKind::kOther,
         "launches are not held back: the work waits for the device or queues too many of them"});
}

void VariantTimer::prepare() {
  double submitted = 0;
  // One extra warm-up call, from which the hold's time limit is derived.
  const bool can_hold = is_asynchronous_ && tools_.no_gate().empty();
  for (int k = 0; k < std::max(spec_.warmup, can_hold ? 1 : 0); ++k) {
    call_apart("a warm-up call");
    submitted = submitted_s_;
  }
  for (Stream* each : streams_) each->synchronize();
  if (spec_.flush_l2) try_flush();
  if (can_hold)
    probe_gate(submitted);
  else if (is_asynchronous_)
    notes_.push_back({NoteKind::kOther, "launches are not held back: " + tools_.no_gate()});
  if (spec_.telemetry && is_asynchronous_ && !tools_.telemetry().absence().empty())
    notes_.push_back({NoteKind::kOther, tools_.telemetry().absence()});
}

/// Compiles and allocates what flushing needs.
void VariantTimer::try_flush() {
  try {
    tools_.flush(*streams_.front());
    streams_.front()->synchronize();
  } catch (const OutOfMemoryError& error) {
    spec_.flush_l2 = false;
    notes_.push_back(
        {NoteKind::kOther, fmt::format("the L2 cache is not flushed: {}", error.what())});
  }
}

struct VariantTimer::Taken {
  double time = 0, submitted = 0, clock = kMissing;
  bool was_late = false;
};

VariantTimer::Taken VariantTimer::take_one() {
  Taken taken;
  Stream& first = *streams_.front();
  checks_.prepare(first);
  if (spec_.flush_l2) tools_.flush(first);
  if (is_held_) {
    queue_held();
  } else {
    queue(1);
    checks_.queue_check(first);
  }
  taken.submitted = submitted_s_;
  first.synchronize();
  checks_.finish_check(fmt::format("cold sample {}", cold_.times.size() + 1));
  taken.time = stop_->seconds_since(*start_);
  if (!is_held_) return taken;
  taken.was_late = tools_.gate().was_late();
  taken.clock = tools_.gate().clock();
  late_in_row_ = taken.was_late ? late_in_row_ + 1 : 0;
  if (late_in_row_ == 3) {
    is_held_ = false;
    notes_.push_back(
        {NoteKind::kOther, "launches are not held back any more: three holds in a row ended late"});
  }
  return taken;
}

void VariantTimer::Series::add(SampleKind kind, double time, double clock) {
  samples.push_back({kind, static_cast<std::int64_t>(times.size()), time, clock, unix_time_ns()});
  times.push_back(time);
}

bool VariantTimer::wants_cold() { return rule_.wants_more(cold_.times, spent_s_); }

void VariantTimer::take_cold(bool is_alone) {
  const Clock::time_point begin = Clock::now();
  const double spent_before = spent_s_;
  const bool is_short = cold_.times.empty() || cold_.times.back() < kTurnSeconds / 4;
  if (!is_alone && is_short) call_apart("a warm-up call");
  const ProfiledRegion region(tools_);
  clocks_.begin();
  log_.begin_turn();
  std::int64_t slow = 0;
  do {
    const Taken taken = take_one();
    if (taken.was_late) {
      ++late_;
    } else if (cool_down_.spoils(taken.clock)) {
      ++slow;
    } else {
      cold_.add(SampleKind::kCold, taken.time, taken.clock);
      sets_.push_back(checks_.input_set());
      if (is_asynchronous_) host_.add(SampleKind::kHost, taken.submitted, kMissing);
    }
    spent_s_ = spent_before + seconds_since(begin);
  } while (slow == 0 && spent_s_ - spent_before < kTurnSeconds &&
           cold_.times.size() != rule_.next_look() && wants_cold());
  log_.end_turn();
  clocks_.end();
  if (std::string reason = cool_down_.rest(slow); !reason.empty())
    notes_.push_back({NoteKind::kOther, std::move(reason)});
}

double VariantTimer::time_apart() { return take_one().time; }

bool VariantTimer::wants_hot() {
  if (!spec_.hot || was_dropped() || !is_asynchronous_ ||
      hot_.times.size() == hot_batches(spec_).count)
    return false;
  if (std::exchange(has_tried_hot_, true)) return true;
  const std::string reason = checks_.why_not_hot();
  if (reason.empty()) return true;
  notes_.push_back({NoteKind::kHotSamples, reason});
  spec_.hot = false;
  return false;
}

double VariantTimer::left_s() const {
  if (cold_.times.empty()) return 0;
  const double call = cold_.times.back();
  const double around = spent_s_ / static_cast<double>(cold_.times.size());
  const bool has_hot = spec_.hot && is_asynchronous_ && !was_dropped();
  const HotBatches& batches = hot_batches(spec_);
  const double hot = has_hot ? static_cast<double>(batches.count - hot_.times.size()) *
                                   (std::max(batches.seconds, call) + around)
                             : 0;
  return rule_.left(cold_.times, spent_s_) + hot + checks_.calls_at_end() * around;
}

void VariantTimer::take_hot() {
  const double one = std::max(summarise(cold_.times).median, 1e-7);
  const double seconds = hot_batches(spec_).seconds;
  const int batch = static_cast<int>(std::clamp(seconds / one, 1.0, 10000.0));
  if (one < seconds) call_apart("a warm-up call");
  Stream& first = *streams_.front();
  checks_.prepare(first);
  // Split at a random place: the later calls must rewrite the elements changed in between.
  const int before = batch == 1 ? 0 : std::uniform_int_distribution<int>(0, batch - 1)(random_);
  double time = 0;
  if (before > 0) {
    queue(before);
    std::swap(start_, part_start_);
    std::swap(stop_, part_stop_);
    checks_.perturb(first);
  }
  queue(batch - before);
  checks_.queue_check(first);
  first.synchronize();
  time = stop_->seconds_since(*start_);
  if (before > 0) time += part_stop_->seconds_since(*part_start_);
  checks_.finish_check(fmt::format("the last of {} calls back to back", batch));
  hot_.add(SampleKind::kHot, time / batch, kMissing);
}

Timing VariantTimer::finish() {
  Timing timing;
  timing.cold = summarise(cold_.times);
  timing.cold.dropped = late_ + cool_down_.dropped();
  timing.hot = summarise(hot_.times);
  if (is_asynchronous_) timing.host = summarise(host_.times);
  std::map<std::size_t, std::vector<double>> by_set;
  for (std::size_t k = 0; k < sets_.size(); ++k) by_set[sets_[k]].push_back(cold_.times[k]);
  for (const auto& [set, times] : by_set) timing.by_set.push_back(summarise(times));
  timing.doubt = different_clocks(clocks_.steady_s(), clocks_.system_s());
  timing.stop_reason = rule_.reason();
  timing.telemetry = log_.summary();
  if (is_asynchronous_ && (log_.is_read() || is_held_)) timing.throttled = cool_down_.dropped();
  if (timing.telemetry.was_power_capped)
    notes_.push_back({NoteKind::kOther, "clocks were lowered to keep the power limit"});
  timing.notes = std::move(notes_);
  for (Series* series : {&cold_, &hot_, &host_})
    timing.samples.insert(timing.samples.end(), std::make_move_iterator(series->samples.begin()),
                          std::make_move_iterator(series->samples.end()));
  return timing;
}

}  // namespace kernelbatch
