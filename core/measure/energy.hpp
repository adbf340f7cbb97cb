// The energy of one call: a separate phase, long enough for a GPU's energy counter.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/device/device.hpp"
#include "core/device/telemetry.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Result of the phase: a number, or the reason why there is none.
struct EnergyMeasurement {
  double energy = kMissing;      ///< J of one call
  double above_idle = kMissing;  ///< J of one call in excess of idle power
  double mean_power = kMissing;  ///< W, by the energy counter
  double idle_power = kMissing;  ///< W, before and after
  double calls = 0;              ///< between the two edges of the counter; not a whole number
  double seconds = 0;            ///< between them
  std::string note = {};     ///< limitation of the number: "it is the whole GPU's, …"; or empty
  std::string refusal = {};  ///< why there is no number; empty if there is one
};

/// Seconds; replaced in tests.
struct EnergyClock {
  std::function<double()> now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  std::function<void(double)> sleep = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
};

struct EnergySettings {
  double least_s = 5;     ///< between the two edges
  double warm_up_s = 2;   ///< calls before the first of them: NVML's power is a mean of a second
  double idle_s = 1;      ///< for measuring idle power, before and after
  double settle_s = 0.5;  ///< without work before each idle measurement
  double longest_s = 30;  ///< of calls; then the counter does not move
  double poll_s = 2e-3;
  double batch_s = 10e-3;
  double most_apart = 0.03;  ///< of counter and integral, relative
};

/// Calls that are queued in batches and complete in that order.
class CallBatches {
 public:
  virtual ~CallBatches() = default;
  virtual void queue(int calls) = 0;
  /// True if the oldest queued batch is done; then the next one becomes the oldest.
  virtual bool is_oldest_done() = 0;
  /// Waits for all.
  virtual void wait() = 0;
};

/// Calls of work on streams of a device; the work begins on the first.
class StreamBatches final : public CallBatches {
 public:
  StreamBatches(Device& device, std::vector<Stream*> streams, std::function<void()> work);
  void queue(int calls) override;
  bool is_oldest_done() override;
  void wait() override;

 private:
  Device& device_;
  std::vector<Stream*> streams_;
  std::function<void()> work_;
  std::unique_ptr<Event> start_;
  std::vector<std::unique_ptr<Event>> joins_, free_;
  std::deque<std::unique_ptr<Event>> ends_;  ///< of batches, the oldest first
};

/// Makes calls back to back for 5 s or more, and takes the energy between two edges of the device's
/// counter, so that the counter's period does not matter. The integral of power over the same time
/// must agree. Takes about 11 s.
class EnergyPhase {
 public:
  /// `is_slice`: the counter is that of the whole GPU.
  explicit EnergyPhase(Telemetry& telemetry, bool is_slice = false, EnergySettings settings = {},
                       EnergyClock clock = {});

  /// `call_s`: approximate duration of a call. The device must be idle, and is idle afterwards.
  /// Exceptions of the work propagate.
  EnergyMeasurement run(CallBatches& batches, double call_s);

 private:
  struct Reading {
    double time, energy, power;
  };
  /// A new value of the counter, observed between two readings.
  struct Edge {
    double time, energy, doubt;  ///< `doubt`: half the time between the readings, s
  };
  struct Progress {
    double time, calls;
  };

  bool read();
  double idle_power();
  void run_calls(CallBatches& batches, double call_s);
  bool has_window() const;
  EnergyMeasurement evaluate() const;
  double calls_until(double time) const;
  double integral(double from, double to) const;

  Telemetry& telemetry_;
  bool is_slice_;
  EnergySettings settings_;
  EnergyClock clock_;
  std::vector<Reading> readings_;
  std::vector<Edge> edges_;
  std::vector<Progress> progress_;
  bool went_back_ = false;
};

/// Sets the record's energy and idle power, and notes their limitations or why there are none.
void add_energy(const EnergyMeasurement& measured, ResultRecord& record);

}  // namespace kernelbatch
