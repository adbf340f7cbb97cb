// The timing engine: cold and hot samples of one piece of work.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/job/spec.hpp"
#include "core/measure/cool_down.hpp"
#include "core/measure/stopping.hpp"
#include "core/measure/timing.hpp"
#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

/// Hooks around every call that a timer makes, outside the timed interval. This base class does
/// nothing.
class CallChecks {
 public:
  virtual ~CallChecks();
  /// Queues the preparation of a call: restores its outputs. May wait for the stream.
  virtual void prepare(Stream& stream);
  /// Queues the check of the call's outputs, right after it.
  virtual void queue_check(Stream& stream);
  /// Called after the stream has passed that check. `name` identifies the call: "cold sample 7".
  /// Throws if the call's outputs are wrong.
  virtual void finish_check(const std::string& name);
  /// The set of inputs used by the call.
  virtual std::size_t input_set() const;
  /// Why calls cannot be made back to back without preparing each; empty if they can. May make some
  /// calls.
  virtual std::string why_not_hot();
  /// Queues a change of some output elements between two back-to-back calls.
  virtual void perturb(Stream& stream);
  /// Approximate number of calls, with their hooks, after the last sample.
  virtual int calls_at_end() const { return 1; }
};

/// Times one variant's work, which may alternate with that of others.
///
/// A cold sample: L2 flushed, the stream blocked by the gate until start event, work and stop event
/// are queued, then one run. Work that waits for the device itself, or queues more than the
/// device's queue holds, cannot be blocked: that is detected before the first sample, and noted.
/// Work on several streams begins on the first and is timed to the end of all. A hot sample:
/// back-to-back runs of some milliseconds between two events, divided by their number. Host
/// samples: duration of the call that queues a cold run. Each call is prepared and checked by
/// CallChecks; in a hot batch only the first and the last one. On the host device the same loops
/// use the steady clock, without flush, gate, hot and host samples.
///
/// The work must have run at least once: nothing is compiled or loaded here.
class VariantTimer {
 public:
  /// `streams` are all streams that the work queues on, beginning with its first.
  VariantTimer(std::function<void()> work, std::vector<Stream*> streams, const MeasureSpec& spec,
               TimingTools& tools, CallChecks* checks = nullptr);

  /// If the first cold sample is longer than this, in seconds, it is the last, and there are no hot
  /// ones.
  void drop_above(double seconds) noexcept { rule_.drop_above(seconds); }
  bool was_dropped() const noexcept { return rule_.has_dropped(); }
  /// Warm-up runs; determines whether launches can be held back.
  void prepare();
  /// True if more cold samples are needed.
  bool wants_cold();
  /// Takes cold samples until the stop rule's next check, at most for some milliseconds.
  /// `is_alone`: no other work ran since the last turn, so that no warm-up is needed.
  void take_cold(bool is_alone);
  /// Seconds of one further call under the conditions of a cold sample.
  double time_apart();
  /// Wall time of the cold samples so far, including their hooks.
  double spent_s() const noexcept { return spent_s_; }
  /// Expected remaining wall time of samples of all kinds and of their checks.
  double left_s() const;
  bool wants_hot();
  void take_hot();
  Timing finish();

 private:
  struct Series {
    std::vector<double> times;
    std::vector<Sample> samples;
    void add(SampleKind kind, double time, double clock);
  };
  struct Taken;
  Taken take_one();
  void queue(int count);
  void queue_held();
  /// One call that is not a sample.
  void call_apart(const char* name);
  void probe_gate(double submit_s);
  void try_flush();

  std::function<void()> work_;
  std::vector<Stream*> streams_;
  MeasureSpec spec_;
  TimingTools& tools_;
  CallChecks no_checks_;
  CallChecks& checks_;
  std::unique_ptr<Event> start_, stop_, part_start_, part_stop_;
  std::vector<std::unique_ptr<Event>> joins_;
  TelemetryLog log_;
  CoolDown cool_down_;
  StopRule rule_;
  std::mt19937 random_;
  bool is_asynchronous_, is_held_ = false, has_tried_hot_ = false;
  double patience_s_ = 0, submitted_s_ = 0, spent_s_ = 0;
  ClockPair clocks_;
  int late_in_row_ = 0;
  std::int64_t late_ = 0;  ///< samples dropped because a hold ended late
  Series cold_, hot_, host_;
  std::vector<std::size_t> sets_;  ///< set of inputs of each cold sample
  std::vector<Note> notes_;
};

/// Times `work` by the steady clock: for references. `prepare` and `check` run around each call,
/// outside the timed interval.
Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec,
                   const std::function<void()>& prepare, const std::function<void()>& check);

}  // namespace kernelbatch
