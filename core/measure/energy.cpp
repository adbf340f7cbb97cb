#include "core/measure/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/measure/timing.hpp"

namespace kernelbatch {
namespace {

/// Enough that the device has work while one batch is replaced by the next.
constexpr int kBatchesAhead = 3;
constexpr int kMostCalls = 10000;
/// Maximum relative uncertainty of the time between the edges.
constexpr double kMostDoubt = 0.01;
/// Pause between two checks of a batch.
constexpr double kNap = 100e-6;

std::string apart_text(double counted, double integrated) {
  return fmt::format(
      "the energy counter gives {:.4g} J and the integral of power {:.4g} J, {:.1f} "
      "% apart",
      counted, integrated, 100 * std::abs(integrated / counted - 1));
}

}  // namespace

StreamBatches::StreamBatches(Device& device, std::vector<Stream*> streams,
                             std::function<void()> work)
    : device_(device),
      streams_(std::move(streams)),
      work_(std::move(work)),
      start_(device.make_event()) {
  for (std::size_t k = 1; k < streams_.size(); ++k) joins_.push_back(device.make_event());
}

void StreamBatches::queue(int calls) {
  Stream& first = *streams_.front();
  first.record(*start_);
  for (std::size_t k = 1; k < streams_.size(); ++k) streams_[k]->wait(*start_);
  for (int k = 0; k < calls; ++k) work_();
  for (std::size_t k = 1; k < streams_.size(); ++k) {
    streams_[k]->record(*joins_[k - 1]);
    first.wait(*joins_[k - 1]);
  }
  if (free_.empty()) free_.push_back(device_.make_event());
  first.record(*free_.back());
  ends_.push_back(std::move(free_.back()));
  free_.pop_back();
}

bool StreamBatches::is_oldest_done() {
  if (ends_.empty() || !ends_.front()->is_done()) return false;
  free_.push_back(std::move(ends_.front()));
  ends_.pop_front();
  return true;
}

void StreamBatches::wait() {
  for (Stream* each : streams_) each->synchronize();
}

EnergyPhase::EnergyPhase(Telemetry& telemetry, bool is_slice, EnergySettings settings,
                         EnergyClock clock)
    : telemetry_(telemetry), is_slice_(is_slice), settings_(settings), clock_(std::move(clock)) {}

/// Returns true if the counter has a new value.
bool EnergyPhase::read() {
  const double before = clock_.now();
  const TelemetryReading reading = telemetry_.read();
  const Reading last{(before + clock_.now()) / 2, reading.energy, reading.power};
  bool is_edge = false;
  if (!readings_.empty() && last.energy != readings_.back().energy) {
    const double since = readings_.back().time;
    is_edge = true;
    if (!(last.energy > readings_.back().energy)) went_back_ = true;
    edges_.push_back({(since + last.time) / 2, last.energy, (last.time - since) / 2});
  }
  readings_.push_back(last);
  return is_edge;
}

/// From the counter if it has two edges in that time, else from the mean of power.
double EnergyPhase::idle_power() {
  clock_.sleep(settings_.settle_s);
  readings_.clear();
  edges_.clear();
  for (const double end = clock_.now() + settings_.idle_s; clock_.now() < end;
       clock_.sleep(settings_.poll_s))
    read();
  if (edges_.size() >= 2 && edges_.back().time - edges_.front().time > settings_.idle_s / 2)
    return (edges_.back().energy - edges_.front().energy) /
           (edges_.back().time - edges_.front().time);
  double sum = 0;
  for (const Reading& each : readings_) sum += each.power;
  return sum / static_cast<double>(readings_.size());
}

bool EnergyPhase::has_window() const {
  return edges_.size() >= 2 && edges_.back().time - edges_.front().time >= settings_.least_s;
}

void EnergyPhase::run_calls(CallBatches& batches, double call_s) {
  const int size = static_cast<int>(
      std::clamp(settings_.batch_s / std::max(call_s, 1e-9), 1.0, double{kMostCalls}));
  int ahead = 0;
  double done = 0;
  const auto take_done = [&] {
    while (ahead > 0 && batches.is_oldest_done()) {
      --ahead;
      done += size;
      progress_.push_back({clock_.now(), done});
    }
  };
  const double start = clock_.now();
  progress_.assign(1, {start, 0});
  // Warm-up calls, whose edges do not count.
  for (double next_poll = start + settings_.warm_up_s;;) {
    while (ahead < kBatchesAhead) {
      batches.queue(size);
      ++ahead;
    }
    take_done();
    const double now = clock_.now();
    if (now >= next_poll) {
      read();
      if (has_window() || went_back_ || now - start > settings_.longest_s) break;
      next_poll = now + settings_.poll_s;
    } else if (ahead == kBatchesAhead) {
      clock_.sleep(std::min(kNap, next_poll - now));
    }
  }
  while (ahead > 0) {
    clock_.sleep(kNap);
    take_done();
  }
  batches.wait();
}

/// Assumes that all calls of a batch take the same time.
double EnergyPhase::calls_until(double time) const {
  const auto after =
      std::ranges::find_if(progress_, [&](const Progress& each) { return each.time >= time; });
  if (after == progress_.begin() || after == progress_.end())
    return after == progress_.begin() ? 0 : progress_.back().calls;
  const auto before = std::prev(after);
  const double share = (time - before->time) / (after->time - before->time);
  return before->calls + share * (after->calls - before->calls);
}

/// Integral of power in J, by the trapezoidal rule.
double EnergyPhase::integral(double from, double to) const {
  double sum = 0;
  for (std::size_t k = 1; k < readings_.size(); ++k) {
    const Reading &a = readings_[k - 1], &b = readings_[k];
    const double begin = std::max(a.time, from), end = std::min(b.time, to);
    if (end <= begin || b.time <= a.time) continue;
    const auto power_at = [&](double time) {
      return a.power + (b.power - a.power) * (time - a.time) / (b.time - a.time);
    };
    sum += (end - begin) * (power_at(begin) + power_at(end)) / 2;
  }
  return sum;
}

EnergyMeasurement EnergyPhase::evaluate() const {
  EnergyMeasurement found;
  if (went_back_) {
    found.refusal = "the energy counter went back";
    return found;
  }
  if (!has_window()) {
    found.refusal = fmt::format("the energy counter moved {} times in {:.0f} s", edges_.size(),
                                readings_.back().time - readings_.front().time);
    return found;
  }
  const Edge &first = edges_.front(), &last = edges_.back();
  const double counted = last.energy - first.energy;
  const double seconds = last.time - first.time;
  if (const double doubt = first.doubt + last.doubt; doubt > kMostDoubt * seconds) {
    found.refusal = fmt::format(
        "when the energy counter moved is known to {:.0f} ms only: calls keep the host from "
        "looking",
        1e3 * doubt);
    return found;
  }
  const double integrated = integral(first.time, last.time);
  if (!(std::abs(integrated - counted) <= settings_.most_apart * counted)) {
    found.refusal = apart_text(counted, integrated);
    return found;
  }
  found.seconds = seconds;
  found.calls = calls_until(last.time) - calls_until(first.time);
  found.mean_power = counted / seconds;
  if (found.calls > 0) found.energy = counted / found.calls;
  return found;
}

EnergyMeasurement EnergyPhase::run(CallBatches& batches, double call_s) {
  EnergyMeasurement found;
  const TelemetryReading now = telemetry_.read();
  if (std::isnan(now.energy) || std::isnan(now.power)) {
    found.refusal = telemetry_.absence().empty() ? "there is no energy counter, or no power to "
                                                   "compare it with"
                                                 : telemetry_.absence();
    return found;
  }
  const double idle_before = idle_power();
  readings_.clear();
  edges_.clear();
  went_back_ = false;
  run_calls(batches, call_s);
  found = evaluate();
  if (!found.refusal.empty()) return found;
  found.idle_power = (idle_before + idle_power()) / 2;
  found.above_idle = found.energy - found.idle_power * found.seconds / found.calls;
  if (is_slice_) found.note = "energy is the whole GPU's, other slices included: an upper bound";
  return found;
}

void add_energy(const EnergyMeasurement& measured, ResultRecord& record) {
  record.energy = measured.energy;
  record.energy_idle_power = measured.idle_power;
  record.add_note(NoteKind::kOther, measured.note);
  record.add_note(NoteKind::kEnergy, measured.refusal);
}

}  // namespace kernelbatch
