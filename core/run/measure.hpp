// The timing engine: cold and hot samples of one piece of work.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/device_list.hpp"
#include "core/job/spec.hpp"
#include "core/plugin/calibration_kernels.hpp"
#include "core/run/stopping.hpp"
#include "core/run/telemetry_log.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// What was found: samples in the order in which they were taken, and what to know of them.
struct Timing {
  std::vector<Sample> samples;  ///< cold, hot, host
  Summary cold, hot, host;
  std::string stop_reason;
  TelemetrySummary telemetry;
  std::int64_t throttled = -1;  ///< samples dropped because the device slowed itself; -1 = unknown
  std::vector<std::string> notes;  ///< where the engine could not do as it does
};

/// Adds a sentence to what is to be known of a result's measurement; empty ones and ones that are
/// there already change nothing.
void add_note(ResultRecord& record, const std::string& note);

/// Copies what was found into a record.
void add_timing(Timing timing, ResultRecord& record);

/// What all work of one device is timed with. Made once: it owns device memory of twice the L2
/// cache, from the first flush on.
class TimingTools {
 public:
  /// How the device is asked to work while it is timed. kPlain: nothing but the work, so that a
  /// profiler sees only kernels of the workload.
  enum class Style { kShielded, kPlain };

  TimingTools(Device& device, Style style);

  Device& device() noexcept { return device_; }
  Style style() const noexcept { return style_; }
  Gate& gate() noexcept { return *gate_; }
  /// Why launches cannot be held back on this device; empty where they can.
  const std::string& no_gate() const noexcept { return no_gate_; }
  Telemetry& telemetry() noexcept { return *telemetry_; }
  CalibrationKernels& kernels() noexcept { return kernels_; }
  /// Queues writing and then reading twice the L2 cache. Nothing on the host.
  void flush(Stream& stream);

 private:
  Device& device_;
  Style style_;
  std::unique_ptr<Gate> gate_;
  std::string no_gate_;
  std::unique_ptr<Telemetry> telemetry_;
  CalibrationKernels kernels_;
  Array memory_, sum_;
  std::uint32_t pattern_ = 0;
};

/// Times one variant's work, in turns that those of others may come between.
///
/// A cold sample: L2 flushed, the stream held by the gate until start event, work and stop event
/// are queued, then one run. Work that waits for the device itself, or queues more than the
/// device's queue holds, cannot be held: that is found out before the first sample, and noted. Work
/// on several streams begins on the first and is timed to the end of all. A hot sample:
/// back-to-back runs of some milliseconds between two events, divided by their number. Host
/// samples: time of the call that queues a cold run. On the host device the same loops run on the
/// steady clock, without flush, gate, hot and host samples.
///
/// The work must have run at least once: nothing is compiled or loaded here.
class VariantTimer {
 public:
  /// `streams` are all that the work queues on, the one it begins with first.
  VariantTimer(std::function<void()> work, std::vector<Stream*> streams, const MeasureSpec& spec,
               TimingTools& tools);

  /// Warm-up runs; finds out whether launches can be held back.
  void prepare();
  /// Whether more cold samples are wanted.
  bool wants_cold();
  /// Takes cold samples until the stop rule looks again, at most for some milliseconds. `is_alone`:
  /// no other work ran since the last turn, so that nothing has to be warmed up again.
  void take_cold(bool is_alone);
  bool wants_hot() const;
  void take_hot();
  Timing finish();

 private:
  struct Series {
    std::vector<double> times;
    std::vector<Sample> samples;
    void add(const char* kind, double time, double clock);
  };
  struct Taken;
  Taken take_one();
  void queue(int count);
  void queue_held(double patience_s, double& submitted);
  void probe_gate(double submit_s);
  void try_flush();
  bool is_slow(double clock) const;

  std::function<void()> work_;
  std::vector<Stream*> streams_;
  MeasureSpec spec_;
  TimingTools& tools_;
  std::unique_ptr<Event> start_, stop_;
  std::vector<std::unique_ptr<Event>> joins_;
  TelemetryLog log_;
  StopRule rule_;
  bool is_gpu_, is_held_ = false;
  double patience_s_ = 0, spent_s_ = 0, cooled_s_ = 0;
  int late_in_row_ = 0;
  std::int64_t dropped_ = 0, throttled_ = 0;
  Series cold_, hot_, host_;
  std::vector<std::string> notes_;
};

/// Times `work` by the steady clock alone: for references.
Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec);

}  // namespace kernelbatch
