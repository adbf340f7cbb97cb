// The energy phase on a fake GPU with a simulated clock.
#include "core/measure/energy.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

/// Has one power when working and another when idle, and an energy counter that is updated once per
/// period.
class FakeGpu final : public Telemetry, public CallBatches {
 public:
  double call_s = 1e-3, idle_w = 100, busy_w = 500;
  double period_s = 0.1, read_s = 1e-3;
  double power_factor = 1;  ///< factor of its reported power
  bool blocks = false;      ///< calls wait for their end
  double stuck_at = kMissing, falls_at = kMissing;
  bool has_energy = true;
  double time = 1000;
  int calls = 0, reads = 0, gaps = -1;  ///< gaps: times at which it was idle

  EnergyMeasurement measure(bool is_slice = false) {
    EnergyPhase phase(*this, is_slice, {},
                      {.now = [this] { return time += 1e-6; },
                       .sleep = [this](double seconds) { time += seconds; }});
    return phase.run(*this, call_s);
  }

  TelemetryReading read() override {
    time += read_s;
    ++reads;
    const double shown =
        period_s * std::floor(std::min(time, std::isnan(stuck_at) ? time : stuck_at) / period_s);
    const double energy = energy_until(shown) - (time > falls_at ? 1e6 : 0);
    // As NVML on current GPUs: the mean of the last second.
    const double power = (energy_until(time) - energy_until(time - 1)) * power_factor;
    return {1e9, power, has_energy ? energy : kMissing, 40, false, false, ""};
  }
  const std::string& absence() const override { return absence_; }

  void queue(int count) override {
    calls += count;
    if (ends_.empty() || ends_.back() < time) ++gaps;
    const double start = ends_.empty() ? time : std::max(time, ends_.back());
    if (busy_.empty() || busy_.back().second < start) busy_.emplace_back(start, start);
    busy_.back().second = start + count * call_s;
    ends_.push_back(busy_.back().second);
    if (blocks) time = std::max(time, busy_.back().second);
  }
  bool is_oldest_done() override {
    if (at_ == ends_.size() || ends_[at_] > time) return false;
    ++at_;
    return true;
  }
  void wait() override {
    if (!ends_.empty()) time = std::max(time, ends_.back());
  }

 private:
  double energy_until(double until) const {
    double energy = idle_w * until;
    for (const auto& [start, end] : busy_)
      energy += (busy_w - idle_w) * std::max(0.0, std::min(end, until) - start);
    return energy;
  }

  std::vector<std::pair<double, double>> busy_;
  std::vector<double> ends_;
  std::size_t at_ = 0;
  std::string absence_ = "NVML gives no energy (Not Supported)";
};

TEST_CASE("The energy of a call is measured between two counter edges, for any period") {
  for (const double period : {0.01, 0.02, 0.1, 0.7}) {
    FakeGpu gpu;
    gpu.period_s = period;
    const EnergyMeasurement found = gpu.measure();
    CAPTURE(period, found.refusal);
    CHECK(found.refusal.empty());
    CHECK(found.energy == Approx(0.5).epsilon(2e-3));
    CHECK(found.above_idle == Approx(0.4).epsilon(3e-3));
    CHECK(found.mean_power == Approx(500).epsilon(2e-3));
    CHECK(found.idle_power == Approx(100).epsilon(2e-2));
    CHECK((found.seconds >= 5 && found.seconds < 5 + 2 * period));
    CHECK(found.calls == Approx(found.seconds / gpu.call_s).epsilon(2e-3));
    CHECK(found.note.empty());
  }
}

TEST_CASE("Calls may take microseconds or most of a second") {
  for (const double call_s : {2e-6, 50e-6, 12e-3, 0.6}) {
    FakeGpu gpu;
    gpu.call_s = call_s;
    const EnergyMeasurement found = gpu.measure();
    CAPTURE(call_s, found.refusal);
    CHECK(found.energy == Approx(500 * call_s).epsilon(5e-3));
  }
}

TEST_CASE("The device always has work, even with slow telemetry") {
  FakeGpu gpu;
  gpu.read_s = 8e-3;
  CHECK(gpu.measure().refusal.empty());
  CHECK(gpu.gaps == 0);
}

TEST_CASE("A counter that contradicts the integral of power gives no number") {
  FakeGpu gpu;
  gpu.power_factor = 1.05;
  const EnergyMeasurement found = gpu.measure();
  CHECK(std::isnan(found.energy));
  CHECK_THAT(found.refusal, Contains("the energy counter gives 25") &&
                                Contains(" J and the integral of power 26") &&
                                Contains("5.0 % apart"));
  FakeGpu near;
  near.power_factor = 0.98;
  CHECK(near.measure().refusal.empty());
}

TEST_CASE("A counter that stops or decreases gives no number, and ends the phase") {
  FakeGpu stuck;
  stuck.stuck_at = 1004;
  const double start = stuck.time;
  CHECK_THAT(stuck.measure().refusal, Contains("the energy counter moved "));
  CHECK(stuck.time - start < 40);
  FakeGpu falls;
  falls.falls_at = 1006;
  CHECK(falls.measure().refusal == "the energy counter went back");
}

TEST_CASE("Without a counter nothing is run, and the reason is reported") {
  FakeGpu gpu;
  gpu.has_energy = false;
  const EnergyMeasurement found = gpu.measure();
  CHECK(found.refusal == "NVML gives no energy (Not Supported)");
  CHECK(gpu.calls == 0);
  CHECK(gpu.reads == 1);
}

TEST_CASE("Calls that block the host for long hide the counter's edges: no number") {
  FakeGpu gpu;
  gpu.blocks = true;
  gpu.call_s = 0.4;
  CHECK_THAT(gpu.measure().refusal, Contains("calls keep the host from looking"));
  FakeGpu brief;
  brief.blocks = true;
  CHECK(brief.measure().energy == Approx(0.5).epsilon(0.02));
}

TEST_CASE("Energy of a slice is noted as the whole GPU's, an upper bound") {
  const EnergyMeasurement found = FakeGpu().measure(true);
  CHECK(found.energy == Approx(0.5).epsilon(2e-3));
  CHECK_THAT(found.note, Contains("the whole GPU's") && Contains("an upper bound"));
}

TEST_CASE("A record gets the number or the reason why there is none") {
  ResultRecord record;
  add_energy({.energy = 2, .idle_power = 90, .note = "a bound"}, record);
  CHECK(record.energy == 2);
  CHECK(record.energy_idle_power == 90);
  CHECK(to_text(record.notes) == "a bound");
  ResultRecord none;
  add_energy({.refusal = "the counter went back"}, none);
  CHECK(std::isnan(none.energy));
  CHECK(to_text(none.notes) == "no energy: the counter went back");
}

TEST_CASE("Batches of calls on several streams complete in order") {
  Device& device = test::device();
  const auto first = device.make_stream(), second = device.make_stream();
  int calls = 0;
  StreamBatches batches(device, {first.get(), second.get()}, [&] { ++calls; });
  CHECK_FALSE(batches.is_oldest_done());
  batches.queue(3);
  batches.queue(4);
  CHECK(calls == 7);
  batches.wait();
  CHECK(batches.is_oldest_done());
  CHECK(batches.is_oldest_done());
  CHECK_FALSE(batches.is_oldest_done());
  batches.queue(1);
  batches.wait();
  CHECK(batches.is_oldest_done());
}

}  // namespace
}  // namespace kernelbatch
