#include "core/run/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/array/array.hpp"
#include "core/run/statistics.hpp"

namespace kernelbatch {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t wall_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Collects samples of one kind and says when there are enough.
class Sampler {
 public:
  Sampler(std::string kind, const MeasureSpec& spec) : kind_(std::move(kind)), spec_(spec) {}

  bool wants_more() {
    const std::size_t count = times_.size();
    if (count >= static_cast<std::size_t>(spec_.max_samples))
      return stop(fmt::format("{} samples, the most allowed", count));
    if (seconds_since(start_) >= spec_.timeout_s && count > 0)
      return stop(fmt::format("time-out of {:.3g} s with an interval of {:.2g} % (wanted {:.2g} %)",
                              spec_.timeout_s, 100 * relative_interval(times_), 100 * spec_.noise));
    if (count >= static_cast<std::size_t>(spec_.min_samples) && count >= next_look_) {
      // Looking costs a sort: look ever more rarely.
      next_look_ = count + count / 8 + 1;
      const double width = relative_interval(times_);
      if (width <= spec_.noise)
        return stop(
            fmt::format("interval of {:.2g} % (wanted {:.2g} %)", 100 * width, 100 * spec_.noise));
    }
    return true;
  }
  void add(double time, std::int64_t wall_ns) {
    Sample sample;
    sample.kind = kind_;
    sample.repetition = static_cast<std::int64_t>(times_.size());
    sample.time = time;
    sample.wall_ns = wall_ns;
    samples_.push_back(std::move(sample));
    times_.push_back(time);
  }
  const std::vector<double>& times() const { return times_; }
  const std::string& reason() const { return reason_; }
  void move_to(std::vector<Sample>& all) {
    all.insert(all.end(), std::make_move_iterator(samples_.begin()),
               std::make_move_iterator(samples_.end()));
  }

 private:
  bool stop(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  std::string kind_;
  const MeasureSpec& spec_;
  Clock::time_point start_ = Clock::now();
  std::size_t next_look_ = 0;
  std::vector<double> times_;
  std::vector<Sample> samples_;
  std::string reason_;
};

/// Overwrites twice the L2 cache before each cold sample. Work that follows is queued while this
/// runs, so that the start event is not waiting for the host.
class CacheFlusher {
 public:
  CacheFlusher(Stream& stream, bool is_wanted) : stream_(stream) {
    const DeviceProperties& device = stream.device().properties();
    if (is_wanted && device.kind != DeviceKind::kHost && device.l2 > 0)
      memory_ = Array::on_device(stream.device(), DType::kUInt8,
                                 {static_cast<std::int64_t>(2 * device.l2)});
  }
  void flush() {
    if (memory_.size() > 0)
      stream_.device().fill(memory_.data(), pattern_++, memory_.bytes(), stream_);
  }

 private:
  Stream& stream_;
  Array memory_;
  std::uint32_t pattern_ = 0;
};

constexpr double kHotBatchSeconds = 5e-3;
constexpr int kHotBatches = 10;

void time_hot(const std::function<void()>& work, Stream& stream, const MeasureSpec& spec,
              Event& start, Event& stop, Timing& timing) {
  MeasureSpec few = spec;
  few.min_samples = few.max_samples = kHotBatches;
  const double one = std::max(timing.cold.median, 1e-7);
  const int batch = static_cast<int>(std::clamp(kHotBatchSeconds / one, 1.0, 10000.0));
  Sampler hot("hot", few);
  work();
  while (hot.wants_more()) {
    stream.record(start);
    for (int k = 0; k < batch; ++k) work();
    stream.record(stop);
    stream.synchronize();
    hot.add(stop.seconds_since(start) / batch, wall_nanoseconds());
  }
  timing.hot = summarise(hot.times());
  hot.move_to(timing.samples);
}

}  // namespace

Timing time_on_device(const std::function<void()>& work, Stream& stream, const MeasureSpec& spec) {
  Device& device = stream.device();
  const std::unique_ptr<Event> start = device.make_event();
  const std::unique_ptr<Event> stop = device.make_event();
  CacheFlusher flusher(stream, spec.flush_l2);
  for (int k = 0; k < spec.warmup; ++k) work();
  stream.synchronize();

  Sampler cold("cold", spec);
  Sampler host("host", spec);
  while (cold.wants_more()) {
    flusher.flush();
    stream.record(*start);
    const Clock::time_point before = Clock::now();
    work();
    const double submitted = seconds_since(before);
    stream.record(*stop);
    stream.synchronize();
    const std::int64_t wall = wall_nanoseconds();
    cold.add(stop->seconds_since(*start), wall);
    host.add(submitted, wall);
  }
  Timing timing;
  timing.cold = summarise(cold.times());
  timing.host = summarise(host.times());
  timing.stop_reason = cold.reason();
  cold.move_to(timing.samples);
  const bool is_gpu = device.properties().kind != DeviceKind::kHost;
  if (spec.hot && is_gpu) time_hot(work, stream, spec, *start, *stop, timing);
  if (is_gpu)
    host.move_to(timing.samples);
  else
    timing.host = {};  // the submitting call is the work itself
  return timing;
}

Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec) {
  Sampler cold("cold", spec);
  while (cold.wants_more()) {
    const Clock::time_point before = Clock::now();
    work();
    cold.add(seconds_since(before), wall_nanoseconds());
  }
  Timing timing;
  timing.cold = summarise(cold.times());
  timing.stop_reason = cold.reason();
  cold.move_to(timing.samples);
  return timing;
}

}  // namespace kernelbatch
