// The timing engine: cold and hot samples of one piece of work.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/job/spec.hpp"
#include "core/measure/stopping.hpp"
#include "core/measure/telemetry_log.hpp"
#include "core/measure/timing.hpp"
#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

/// What stands around every call that a timer makes, outside of what it times. This one does
/// nothing.
class CallChecks {
 public:
  virtual ~CallChecks();
  /// Queues what a call needs: outputs as they are before one. May wait for the stream.
  virtual void prepare(Stream& stream);
  /// Queues looking at what the call gave, right behind it.
  virtual void look(Stream& stream);
  /// The stream has passed that. `name` says which call it was: "cold sample 7". Throws where the
  /// call gave something wrong.
  virtual void settle(const std::string& name);
  /// Which of several sets of inputs the call worked on.
  virtual std::size_t input_set() const;
  /// Why calls cannot be made back to back, without preparing each; empty where they can. May make
  /// some calls.
  virtual std::string why_not_hot();
  /// Queues changing some of the outputs between two calls back to back.
  virtual void disturb(Stream& stream);
  /// About how many calls, with all that stands around them, come after the last sample.
  virtual int calls_at_end() const { return 1; }
};

/// Times one variant's work, in turns that those of others may come between.
///
/// A cold sample: L2 flushed, the stream held by the gate until start event, work and stop event
/// are queued, then one run. Work that waits for the device itself, or queues more than the
/// device's queue holds, cannot be held: that is found out before the first sample, and noted. Work
/// on several streams begins on the first and is timed to the end of all. A hot sample:
/// back-to-back runs of some milliseconds between two events, divided by their number. Host
/// samples: time of the call that queues a cold run. Each call is prepared and looked at by
/// CallChecks, of a hot batch the first and the last one. On the host device the same loops run on
/// the steady clock, without flush, gate, hot and host samples.
///
/// The work must have run at least once: nothing is compiled or loaded here.
class VariantTimer {
 public:
  /// `streams` are all that the work queues on, the one it begins with first.
  VariantTimer(std::function<void()> work, std::vector<Stream*> streams, const MeasureSpec& spec,
               TimingTools& tools, CallChecks* checks = nullptr);

  /// Cold samples end with the first one where that is longer, in seconds, and no hot ones come.
  void drop_above(double seconds) noexcept { rule_.drop_above(seconds); }
  bool was_dropped() const noexcept { return rule_.has_dropped(); }
  /// Warm-up runs; finds out whether launches can be held back.
  void prepare();
  /// Whether more cold samples are wanted.
  bool wants_cold();
  /// Takes cold samples until the stop rule looks again, at most for some milliseconds. `is_alone`:
  /// no other work ran since the last turn, so that nothing has to be warmed up again.
  void take_cold(bool is_alone);
  /// Seconds of one call like those of cold samples, which is none itself.
  double time_apart();
  /// Wall time of the cold samples so far, with all that stands around them.
  double spent_s() const noexcept { return spent_s_; }
  /// Wall time that samples of all kinds are likely to go on, and what looking at them then takes.
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
  /// One call that no sample is taken of.
  void call_apart(const char* name);
  void probe_gate(double submit_s);
  void try_flush();
  bool is_slow(double clock) const;

  std::function<void()> work_;
  std::vector<Stream*> streams_;
  MeasureSpec spec_;
  TimingTools& tools_;
  CallChecks no_checks_;
  CallChecks& checks_;
  std::unique_ptr<Event> start_, stop_, part_start_, part_stop_;
  std::vector<std::unique_ptr<Event>> joins_;
  TelemetryLog log_;
  StopRule rule_;
  std::mt19937 random_;
  bool is_asynchronous_, is_held_ = false, has_tried_hot_ = false;
  double patience_s_ = 0, submitted_s_ = 0, spent_s_ = 0, cooled_s_ = 0;
  ClockPair clocks_;
  int late_in_row_ = 0;
  std::int64_t dropped_ = 0, throttled_ = 0;
  Series cold_, hot_, host_;
  std::vector<std::size_t> sets_;  ///< of inputs, of each cold sample
  std::vector<std::string> notes_;
};

/// Times `work` by the steady clock alone: for references. `prepare` and `check` stand around each
/// call, outside of what is timed.
Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec,
                   const std::function<void()>& prepare, const std::function<void()>& check);

}  // namespace kernelbatch
